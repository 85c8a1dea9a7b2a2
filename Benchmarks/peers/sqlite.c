// Appending to SQLite through its C interface: rows of a number and a text that is there already.
//
//   sqlite append LOG COUNT FILE SYNC     SYNC is 'none' (journal and sync off, 10 000 rows for each transaction) or the
//                                         number of rows for each transaction (WAL, synchronous=FULL)
#define _GNU_SOURCE
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static char **texts;
static int *lengths;
static int found;

static void check(int is_good, const char *what) {
  if (is_good) return;
  fprintf(stderr, "sqlite: %s failed\n", what);
  exit(1);
}

static int is_segment(const struct dirent *entry) {
  return strlen(entry->d_name) == 22 && strcmp(entry->d_name + 16, ".jsonl") == 0;
}

static void read_lines(const char *log, int limit) {
  struct dirent **names;
  int count = scandir(log, &names, is_segment, alphasort);
  check(count > 0, "finding segments");
  texts = malloc(sizeof(char *) * limit);
  lengths = malloc(sizeof(int) * limit);
  for (int index = 0; index < count && found < limit; index++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", log, names[index]->d_name);
    FILE *file = fopen(path, "r");
    check(file != NULL, "opening a segment");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while (found < limit && (length = getline(&line, &capacity, file)) > 0) {
      if (strstr(line, "\"type\":\"@") != NULL) continue;
      texts[found] = malloc(length);
      memcpy(texts[found], line, length - 1);
      lengths[found++] = length - 1;
    }
    free(line);
    fclose(file);
  }
  check(found > 0, "reading lines");
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void run(sqlite3 *database, const char *text) {
  check(sqlite3_exec(database, text, NULL, NULL, NULL) == SQLITE_OK, text);
}

int main(int argc, char **argv) {
  if (argc != 6 || strcmp(argv[1], "append") != 0) {
    printf("sqlite has no task '%s'\n", argc > 1 ? argv[1] : "");
    return 69;
  }
  int count = atoi(argv[3]);
  int is_synchronous = strcmp(argv[5], "none") != 0;
  int batch = is_synchronous ? atoi(argv[5]) : 10000;
  read_lines(argv[2], count < 200000 ? count : 200000);

  sqlite3 *database;
  check(sqlite3_open(argv[4], &database) == SQLITE_OK, "opening the database");
  run(database, is_synchronous ? "pragma journal_mode=wal" : "pragma journal_mode=off");
  run(database, is_synchronous ? "pragma synchronous=full" : "pragma synchronous=off");
  run(database, "create table log (seq integer primary key, line text not null)");
  sqlite3_stmt *insert, *begin, *commit;
  check(sqlite3_prepare_v2(database, "insert into log values (?, ?)", -1, &insert, NULL) == SQLITE_OK, "prepare");
  check(sqlite3_prepare_v2(database, "begin", -1, &begin, NULL) == SQLITE_OK, "prepare");
  check(sqlite3_prepare_v2(database, "commit", -1, &commit, NULL) == SQLITE_OK, "prepare");

  long long start = now();
  for (int first = 0; first < count; first += batch) {
    check(sqlite3_step(begin) == SQLITE_DONE, "begin");
    sqlite3_reset(begin);
    for (int index = first; index < first + batch && index < count; index++) {
      sqlite3_bind_int64(insert, 1, index + 1);
      sqlite3_bind_text(insert, 2, texts[index % found], lengths[index % found], SQLITE_STATIC);
      check(sqlite3_step(insert) == SQLITE_DONE, "insert");
      sqlite3_reset(insert);
    }
    check(sqlite3_step(commit) == SQLITE_DONE, "commit");
    sqlite3_reset(commit);
  }
  long long nanoseconds = now() - start;

  sqlite3_finalize(insert);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_close(database);
  const char *suffixes[] = {"", "-wal", "-shm"};
  for (int index = 0; index < 3; index++) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s", argv[4], suffixes[index]);
    unlink(path);
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("{\"hash\":%d,\"nanoseconds\":%lld,\"metrics\":{\"peakMebibytes\":%ld}}\n", count, nanoseconds,
         usage.ru_maxrss / 1024);
  return 0;
}
