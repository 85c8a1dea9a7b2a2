// dl_iterate_phdr.
#define _GNU_SOURCE

#include "CSystem.h"

#if defined(__linux__)

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct code_visit {
  void (*visit)(void *context, const void *bytes, size_t count);
  void *context;
  bool is_program_visited;
};

static void visit_size(const struct code_visit *code, uint64_t count) { code->visit(code->context, &count, sizeof count); }

// Visits the bytes of a segment in the file of the program. They are not those in memory, where constants may be next to
// variables.
static bool visit_segment(
  const struct code_visit *code, const struct dl_phdr_info *object, const ElfW(Phdr) *segment, int file, void *buffer,
  size_t capacity
) {
  visit_size(code, segment->p_filesz);
  for (uint64_t done = 0; done < segment->p_filesz;) {
    const uint64_t rest = segment->p_filesz - done;
    const ssize_t count = pread(file, buffer, rest < capacity ? rest : capacity, (off_t)(segment->p_offset + done));
    if (count <= 0) return false;
    // A program that its loader was given by name runs from another file than the one that /proc names.
    const bool is_constant = (segment->p_flags & PF_W) == 0 && (segment->p_flags & PF_R) != 0;
    const void *const loaded = (const void *)(object->dlpi_addr + segment->p_vaddr + done);
    if (is_constant && memcmp(buffer, loaded, (size_t)count) != 0) return false;
    code->visit(code->context, buffer, (size_t)count);
    done += (uint64_t)count;
  }
  return true;
}

static bool visit_program(const struct code_visit *code, const struct dl_phdr_info *object) {
  const size_t capacity = 1 << 18;
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  void *const buffer = malloc(capacity);
  bool is_visited = buffer != NULL;
  for (int index = 0; is_visited && index < object->dlpi_phnum; index += 1) {
    const ElfW(Phdr) *const segment = object->dlpi_phdr + index;
    if (segment->p_type == PT_LOAD) is_visited = visit_segment(code, object, segment, file, buffer, capacity);
  }
  free(buffer);
  close(file);
  return is_visited;
}

// Visits the build identifier of a library, which its linker has computed from its contents.
static bool visit_library(const struct code_visit *code, const struct dl_phdr_info *object) {
  for (int index = 0; index < object->dlpi_phnum; index += 1) {
    const ElfW(Phdr) *const segment = object->dlpi_phdr + index;
    if (segment->p_type != PT_NOTE) continue;
    const size_t alignment = segment->p_align == 8 ? 8 : 4;
    const char *next = (const char *)(object->dlpi_addr + segment->p_vaddr);
    const char *const end = next + segment->p_memsz;
    while ((size_t)(end - next) >= sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr) *const note = (const ElfW(Nhdr) *)next;
      const size_t name = sizeof *note;
      const size_t description = (name + note->n_namesz + alignment - 1) & ~(alignment - 1);
      const size_t length = (description + note->n_descsz + alignment - 1) & ~(alignment - 1);
      if (length > (size_t)(end - next)) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(next + name, "GNU", 4) == 0) {
        visit_size(code, note->n_descsz);
        code->visit(code->context, next + description, note->n_descsz);
        return true;
      }
      next += length;
    }
  }
  return false;
}

static int visit_object(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  struct code_visit *const code = context;
  // The first object is the program.
  if (!code->is_program_visited) {
    code->is_program_visited = true;
    return !visit_program(code, object);
  }
  // The system's calls: no file, and no code of the program.
  if (strcmp(object->dlpi_name, "linux-vdso.so.1") == 0) return 0;
  return !visit_library(code, object);
}

bool csystem_visit_code(void (*visit)(void *context, const void *bytes, size_t count), void *context) {
  struct code_visit code = {visit, context, false};
  return dl_iterate_phdr(visit_object, &code) == 0 && code.is_program_visited;
}

#else

bool csystem_visit_code(void (*visit)(void *context, const void *bytes, size_t count), void *context) {
  (void)visit;
  (void)context;
  return false;
}

#endif
