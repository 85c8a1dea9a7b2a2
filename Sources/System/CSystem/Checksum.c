#include "CSystem.h"

// The package is compiled for the oldest processors of an architecture. The functions below are therefore compiled for
// the instructions that they use, and the caller checks first whether the processor has them.

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

#define CRC32C_FUNCTION __attribute__((target("sse4.2")))
#define CRC32C_BYTE(state, byte) __builtin_ia32_crc32qi(state, byte)
#if defined(__x86_64__)
#define CRC32C_WORD_TYPE uint64_t
#define CRC32C_WORD(state, word) ((uint32_t)__builtin_ia32_crc32di(state, word))
#else
#define CRC32C_WORD_TYPE uint32_t
#define CRC32C_WORD(state, word) __builtin_ia32_crc32si(state, word)
#endif

static bool look(void) {
  unsigned int eax, ebx, ecx, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1u << 20)) != 0;
}

#elif defined(__aarch64__) && !defined(__AARCH64EB__)

#define CRC32C_FUNCTION __attribute__((target("crc")))
#define CRC32C_BYTE(state, byte) __builtin_arm_crc32cb(state, byte)
#define CRC32C_WORD_TYPE uint64_t
#define CRC32C_WORD(state, word) __builtin_arm_crc32cd(state, word)

#if defined(__linux__)
#include <sys/auxv.h>

static bool look(void) {
  return (getauxval(AT_HWCAP) & (1ul << 7)) != 0;  // HWCAP_CRC32
}
#elif defined(__ARM_FEATURE_CRC32)
static bool look(void) {
  return true;
}
#else
static bool look(void) {
  return false;
}
#endif

#endif

bool csystem_crc32c_availability = false;

#if defined(CRC32C_FUNCTION)

__attribute__((constructor)) static void look_once(void) {
  csystem_crc32c_availability = look();
}

CRC32C_FUNCTION
uint32_t csystem_crc32c_update(uint32_t state, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  while (count >= sizeof(CRC32C_WORD_TYPE)) {
    CRC32C_WORD_TYPE word;
    __builtin_memcpy(&word, next, sizeof word);
    state = CRC32C_WORD(state, word);
    next += sizeof word;
    count -= sizeof word;
  }
  while (count > 0) {
    state = CRC32C_BYTE(state, *next);
    next += 1;
    count -= 1;
  }
  return state;
}

#else

uint32_t csystem_crc32c_update(uint32_t state, const void *bytes, size_t count) {
  (void)bytes;
  (void)count;
  return state;
}

#endif
