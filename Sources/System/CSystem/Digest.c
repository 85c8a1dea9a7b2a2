#include "CSystem.h"

// SHA-256 with special instructions (FIPS 180-4, 6.2.2). As in Checksum.c, the functions are compiled for the
// instructions that they use, and the caller checks first whether the processor has them.

#if defined(__x86_64__) || (defined(__aarch64__) && !defined(__AARCH64EB__))

static const uint32_t roundConstants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#endif

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

bool csystem_sha256_is_available(void) {
  unsigned int eax, ebx, ecx, edx;
  // SHA, and SSSE3 and SSE 4.1 to reorder words.
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & (1u << 9)) == 0 || (ecx & (1u << 19)) == 0) return false;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & (1u << 29)) != 0;
}

// The instructions keep the eight words of the state as ABEF and CDGH, and compute two rounds at a time.
__attribute__((target("sha,sse4.1,ssse3")))
void csystem_sha256_update(uint32_t state[8], const void *bytes, size_t blockCount) {
  const __m128i byteOrder = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  const unsigned char *next = bytes;
  __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(low, high, 8);
  __m128i cdgh = _mm_blend_epi16(high, low, 0xf0);
  for (; blockCount > 0; blockCount -= 1, next += 64) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i words[4];
    for (int quarter = 0; quarter < 4; quarter += 1) {
      words[quarter] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(next + 16 * quarter)), byteOrder);
    }
#pragma clang loop unroll(full)
    for (int step = 0; step < 16; step += 1) {
      const __m128i now = words[step & 3];
      const __m128i sum = _mm_add_epi32(now, _mm_load_si128((const __m128i *)(roundConstants + 4 * step)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      if (step < 12) {
        // The next four words of the message schedule.
        const __m128i last = words[(step + 3) & 3];
        const __m128i seven = _mm_alignr_epi8(last, words[(step + 2) & 3], 4);
        const __m128i first = _mm_add_epi32(_mm_sha256msg1_epu32(now, words[(step + 1) & 3]), seven);
        words[step & 3] = _mm_sha256msg2_epu32(first, last);
      }
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  low = _mm_shuffle_epi32(abef, 0x1b);
  high = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

#elif defined(__aarch64__) && !defined(__AARCH64EB__)

#include <arm_neon.h>

#if defined(__linux__)
#include <sys/auxv.h>

bool csystem_sha256_is_available(void) {
  return (getauxval(AT_HWCAP) & (1ul << 6)) != 0;  // HWCAP_SHA2
}
#elif defined(__ARM_FEATURE_SHA2)
bool csystem_sha256_is_available(void) {
  return true;
}
#else
bool csystem_sha256_is_available(void) {
  return false;
}
#endif

__attribute__((target("sha2")))
void csystem_sha256_update(uint32_t state[8], const void *bytes, size_t blockCount) {
  const unsigned char *next = bytes;
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; blockCount > 0; blockCount -= 1, next += 64) {
    const uint32x4_t abcdBefore = abcd, efghBefore = efgh;
    uint32x4_t words[4];
    for (int quarter = 0; quarter < 4; quarter += 1) {
      words[quarter] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(next + 16 * quarter)));
    }
#pragma clang loop unroll(full)
    for (int step = 0; step < 16; step += 1) {
      const uint32x4_t now = words[step & 3];
      const uint32x4_t sum = vaddq_u32(now, vld1q_u32(roundConstants + 4 * step));
      const uint32x4_t abcdOld = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, abcdOld, sum);
      if (step < 12) {
        // The next four words of the message schedule.
        words[step & 3] = vsha256su1q_u32(
            vsha256su0q_u32(now, words[(step + 1) & 3]), words[(step + 2) & 3], words[(step + 3) & 3]);
      }
    }
    abcd = vaddq_u32(abcd, abcdBefore);
    efgh = vaddq_u32(efgh, efghBefore);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

#else

bool csystem_sha256_is_available(void) {
  return false;
}

void csystem_sha256_update(uint32_t state[8], const void *bytes, size_t blockCount) {
  (void)state;
  (void)bytes;
  (void)blockCount;
}

#endif
