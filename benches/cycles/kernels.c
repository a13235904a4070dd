/* Small loops, each with one known bottleneck, to compare an estimate in cycles with measured time.

       kernels record NAME       runs the kernel twice; `collected` is the second run, for --toggle-collect=collected
       kernels measure NAME N    N times in turn: a chain of dependent adds, then the kernel; prints both in nanoseconds

   A step is one turn of the kernel's loop. Both modes run the same number of steps in one call. */
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;
typedef uint32_t u32;

/* The compiler must not know these values, so it cannot compute a kernel ahead of time. */
static volatile u64 seven = 7, one = 1;
static volatile double almost_one = 0.9999999, tiny = 1e-9;

static u64 random_state = 88172645463325252ull;
static u64 random_next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static u64 bits(double x) {
    u64 b;
    memcpy(&b, &x, 8);
    return b;
}

/* The memory that the kernel at hand works on, and where it goes on in its next call. */
static unsigned char *memory;
static u64 size, position;

static void allocate(u64 bytes) {
    size = bytes;
    memory = aligned_alloc(4096, bytes);
    for (u64 i = 0; i < bytes; i++) memory[i] = (unsigned char)(i * 31 >> 4);
}

static void nothing(void) {}

/* One cycle through all lines of the memory, in random order. */
static void chase(u64 bytes) {
    allocate(bytes);
    u64 count = bytes / 64;
    u32 *order = malloc(count * sizeof *order);
    for (u64 i = 0; i < count; i++) order[i] = (u32)i;
    for (u64 i = count - 1; i > 0; i--) {
        u64 j = random_next() % i;
        u32 kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    for (u64 i = 0; i < count; i++)
        *(void **)(memory + 64ull * order[i]) = memory + 64ull * order[(i + 1) % count];
    free(order);
}
static void chase_16k(void) { chase(16 << 10); }
static void chase_512k(void) { chase(512 << 10); }
static void chase_8m(void) { chase(8 << 20); }
static void chase_128m(void) { chase(128 << 20); }
static void allocate_16k(void) { allocate(16 << 10); }
static void allocate_256k(void) { allocate(256 << 10); }
static void allocate_4m(void) { allocate(4 << 20); }
static void allocate_128m(void) { allocate(128 << 20); }

static u64 run_chase(u64 steps) {
    void **at = (void **)(memory + position);
    while (steps--) at = *at;
    position = (u64)((unsigned char *)at - memory);
    return position;
}

/* ---- chains of dependences ---- */

static u64 rotate_chain(u64 steps) {
    u64 x = seven, a = seven;
    while (steps--) x = ((x << 13 | x >> 51) ^ a) + a;
    return x;
}
static u64 imul_chain(u64 steps) {
    u64 x = seven, a = seven;
    while (steps--) x *= a;
    return x;
}
static u64 fadd_chain(u64 steps) {
    double x = 1, a = tiny;
    while (steps--) x += a;
    return bits(x);
}
static u64 mixed_fp_chain(u64 steps) {
    double x = 1, a = almost_one, b = tiny;
    while (steps--) x = (x * a + b) * a;
    return bits(x);
}
static u64 div64_chain(u64 steps) {
    u64 x = ~0ull, d = seven;
    while (steps--) x = (x | 1ull << 63) / d;
    return x;
}
static u64 fdiv_chain(u64 steps) {
    double x = 1, a = almost_one;
    while (steps--) x = a / x;
    return bits(x);
}
static u64 sqrt_chain(u64 steps) {
    double x = 2, a = almost_one;
    while (steps--) x = __builtin_sqrt(x + a);
    return bits(x);
}
/* A sum in memory: every step loads what the step before stored. */
static u64 store_forward(u64 steps) {
    volatile u64 *sum = (volatile u64 *)memory;
    u64 a = seven;
    while (steps--) *sum += a;
    return *sum;
}

/* ---- throughput ---- */

static u64 fadd_parallel(u64 steps) {
    double a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, t = tiny;
    while (steps--) {
        a += t, b += t, c += t, d += t, e += t, f += t;
        __asm__ volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f));
    }
    return bits(a + b + c + d + e + f);
}
static u64 div32_parallel(u64 steps) {
    u32 d = (u32)seven + 1000, sum = 0;
    for (u64 i = 0; i < steps; i++) sum += ((u32)i * 2654435761u) / d;
    return sum;
}
__attribute__((target("avx2,fma"))) static u64 saxpy_avx2(u64 steps) {
    float *x = (float *)memory, *y = (float *)(memory + 8192);
    __m256 a = _mm256_set1_ps((float)tiny);
    for (u64 i = 0, j = 0; i < steps; i++, j = (j + 8) & 2047)
        _mm256_store_ps(y + j, _mm256_fmadd_ps(a, _mm256_load_ps(x + j), _mm256_load_ps(y + j)));
    return (u64)y[3];
}
static u64 sad_sse2(u64 steps) {
    __m128i sum = _mm_setzero_si128();
    for (u64 i = 0, j = 0; i < steps; i++, j = (j + 16) & 8191)
        sum = _mm_add_epi64(sum, _mm_sad_epu8(_mm_load_si128((__m128i *)(memory + j)),
                                              _mm_load_si128((__m128i *)(memory + 8192 + j))));
    return (u64)_mm_cvtsi128_si64(sum);
}
static u64 matrix_sse(u64 steps) {
    __m128 c0 = _mm_set1_ps(1), c1 = _mm_set1_ps(.5f), c2 = _mm_set1_ps(.25f), c3 = _mm_set1_ps(.125f);
    float *v = (float *)memory;
    for (u64 i = 0, j = 0; i < steps; i++, j = (j + 4) & 4095) {
        __m128 x = _mm_load_ps(v + j);
        __m128 y = _mm_mul_ps(c0, _mm_shuffle_ps(x, x, 0x00));
        y = _mm_add_ps(y, _mm_mul_ps(c1, _mm_shuffle_ps(x, x, 0x55)));
        y = _mm_add_ps(y, _mm_mul_ps(c2, _mm_shuffle_ps(x, x, 0xaa)));
        y = _mm_add_ps(y, _mm_mul_ps(c3, _mm_shuffle_ps(x, x, 0xff)));
        _mm_store_ps(v + j, y);
    }
    return (u64)v[5];
}
static void matrix_prepare(void) {
    allocate_16k();
    for (int i = 0; i < 4096; i++) ((float *)memory)[i] = 1.0f + (float)(i % 7);
}
static u64 bit_tricks(u64 steps) {
    u64 sum = 0;
    for (u64 i = 0; i < steps; i++) {
        u64 x = i * 0x9e3779b97f4a7c15ull;
        x = x - (x >> 1 & 0x5555555555555555ull);
        x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
        sum += x * 0x0101010101010101ull >> 56;
    }
    return sum;
}

/* ---- branches ---- */

static u64 branch_random(u64 steps) {
    u64 x = seven, sum = 0;
    while (steps--) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        if (x & 1) {
            sum += 3;
            __asm__ volatile("" : "+r"(sum));
        } else {
            sum ^= 5;
            __asm__ volatile("" : "+r"(sum));
        }
    }
    return sum;
}
static u64 branch_pattern(u64 steps) {
    u64 sum = 0;
    for (u64 i = 0; i < steps; i++) {
        if (i % 8 < 3) {
            sum += 3;
            __asm__ volatile("" : "+r"(sum));
        } else {
            sum ^= 5;
            __asm__ volatile("" : "+r"(sum));
        }
    }
    return sum;
}
static void search_prepare(void) {
    allocate_16k();
    for (int i = 0; i < 4096; i++) ((u32 *)memory)[i] = (u32)i * 1000003u >> 1;
    for (int i = 1; i < 4096; i++) ((u32 *)memory)[i] = ((u32 *)memory)[i - 1] + 1 + (u32)(random_next() % 900000);
}
static u64 branch_search(u64 steps) {
    u32 *v = (u32 *)memory, low = 0, high = 4095, wanted = 1;
    u64 found = 0;
    while (steps--) {
        u32 middle = (low + high) / 2;
        if (v[middle] < wanted) {
            low = middle + 1;
            __asm__ volatile("" : "+r"(low));
        } else {
            high = middle;
            __asm__ volatile("" : "+r"(high));
        }
        if (low >= high) {
            found += low;
            wanted = (u32)(random_next() % 1800000000u);
            low = 0, high = 4095;
        }
    }
    return found;
}
#define OPERATION(name, body) \
    __attribute__((noinline)) static u64 name(u64 x) { return body; }
OPERATION(op_add, x + 3)
OPERATION(op_xor, x ^ x >> 5)
OPERATION(op_mul, x * 5)
OPERATION(op_rot, x << 9 | x >> 55)
static u64 (*operations[])(u64) = {op_add, op_xor, op_mul, op_rot};
/* Which function is called depends on the sum so far: no predictor knows. */
static u64 indirect_calls(u64 steps) {
    u64 x = seven;
    while (steps--) x = operations[x >> 7 & 3](x) + steps;
    return x;
}
static void interpreter_prepare(void) {
    allocate_16k();
    for (u64 i = 0; i < 16384; i++) memory[i] = (unsigned char)(random_next() % 8);
}
/* A program of 200 operations that is run over and over: a predictor with a long history knows it. */
static u64 interpreter(u64 steps) {
    u64 a = seven, b = one, pc = 0;
    while (steps--) {
        switch (memory[pc]) {
        case 0: a += b; break;
        case 1: b ^= a; break;
        case 2: a = a << 3 | a >> 61; break;
        case 3: b += 11; break;
        case 4: a *= 5; break;
        case 5: a -= b >> 3; break;
        case 6: b = ~b; break;
        default: a ^= 0x55; break;
        }
        pc = pc == 199 ? 0 : pc + 1;
    }
    return a + b;
}
static void short_blocks_prepare(void) {
    allocate_16k();
    for (u64 i = 0; i < 16384; i++) memory[i] = (unsigned char)"the cat, 12 mice and 3 bits of cheese;  "[i % 40];
}
/* Words, numbers and the rest of a short text that repeats: many blocks of few instructions. */
static u64 short_blocks(u64 steps) {
    u64 words = 0, numbers = 0, others = 0, at = 0, in_word = 0;
    while (steps--) {
        unsigned char c = memory[at];
        at = (at + 1) & 16383;
        if (c >= 'a' && c <= 'z') {
            if (!in_word) words++;
            in_word = 1;
        } else {
            in_word = 0;
            if (c >= '0' && c <= '9') numbers = numbers * 10 + (c - '0');
            else if (c != ' ') others++;
        }
    }
    return words + numbers + others;
}

/* ---- memory ---- */

static u64 stream_dram(u64 steps) {
    u64 sum = 0, *v = (u64 *)memory;
    for (u64 i = 0; i < steps; i++) sum += v[position + i];
    position = (position + steps) % (size / 8 - steps);
    return sum;
}
static u64 stores_l2(u64 steps) {
    u64 *v = (u64 *)memory;
    for (u64 i = 0; i < steps; i++) ((volatile u64 *)v)[i & 32767] = i;
    return v[9];
}
static u64 copy_l3(u64 steps) {
    u64 *from = (u64 *)memory, *to = (u64 *)(memory + (2 << 20));
    for (u64 i = 0; i < steps; i++) ((volatile u64 *)to)[i & 262143] = ((volatile u64 *)from)[i & 262143];
    return to[9];
}
static u64 gather_dram(u64 steps) {
    u64 sum = 0, *v = (u64 *)memory, x = position;
    for (u64 i = 0; i < steps; i++) sum += v[(x + i) * 0x9e3779b97f4a7c15ull >> 40];
    position += steps;
    return sum;
}
static void hash_prepare(void) {
    allocate(64 << 10);
    u64 *table = (u64 *)memory;
    memset(table, 0, size);
    for (u64 i = 1; i <= 5000; i++) {
        u64 h = i * 0x9e3779b97f4a7c15ull >> 51;
        while (table[h & 8191]) h++;
        table[h & 8191] = i;
    }
}
static u64 hash_lookup(u64 steps) {
    u64 *table = (u64 *)memory, found = 0;
    for (u64 i = 0; i < steps; i++) {
        u64 key = (i * 2862933555777941757ull >> 30) % 8000 + 1;
        u64 h = key * 0x9e3779b97f4a7c15ull >> 51;
        while (table[h & 8191] && table[h & 8191] != key) h++;
        found += table[h & 8191] == key;
    }
    return found;
}
static void scan_prepare(void) {
    allocate_16k();
    for (u64 i = 0; i < size; i++) memory[i] = 'x';
    for (u64 i = random_next() % 24; i < size; i += 1 + random_next() % 24) memory[i] = 0;
    memory[size - 1] = 0;
}
/* The lengths of strings of 0 to 23 bytes: a step is a byte. */
static u64 byte_scan(u64 steps) {
    u64 longest = 0, at = 0;
    while (steps) {
        u64 from = at;
        while (memory[at]) at++;
        if (at - from > longest) longest = at - from;
        u64 length = at - from + 1;
        steps -= length < steps ? length : steps;
        at = at + 1 >= size ? 0 : at + 1;
    }
    return longest;
}

static const struct kernel {
    const char *name;
    void (*prepare)(void);
    u64 (*run)(u64);
    u64 steps;
} kernels[] = {
    {"rotate_chain", nothing, rotate_chain, 1000000},
    {"imul_chain", nothing, imul_chain, 1000000},
    {"fadd_chain", nothing, fadd_chain, 1000000},
    {"mixed_fp_chain", nothing, mixed_fp_chain, 500000},
    {"div64_chain", nothing, div64_chain, 300000},
    {"fdiv_chain", nothing, fdiv_chain, 300000},
    {"sqrt_chain", nothing, sqrt_chain, 200000},
    {"store_forward", allocate_16k, store_forward, 1000000},
    {"fadd_parallel", nothing, fadd_parallel, 1000000},
    {"div32_parallel", nothing, div32_parallel, 500000},
    {"saxpy_avx2", allocate_16k, saxpy_avx2, 1000000},
    {"sad_sse2", allocate_16k, sad_sse2, 1000000},
    {"matrix_sse", matrix_prepare, matrix_sse, 500000},
    {"bit_tricks", nothing, bit_tricks, 500000},
    {"branch_random", nothing, branch_random, 300000},
    {"branch_pattern", nothing, branch_pattern, 1000000},
    {"branch_search", search_prepare, branch_search, 300000},
    {"indirect_calls", nothing, indirect_calls, 200000},
    {"interpreter", interpreter_prepare, interpreter, 500000},
    {"short_blocks", short_blocks_prepare, short_blocks, 500000},
    {"chase_l1", chase_16k, run_chase, 1000000},
    {"chase_l2", chase_512k, run_chase, 300000},
    {"chase_l3", chase_8m, run_chase, 131072},
    {"chase_dram", chase_128m, run_chase, 100000},
    {"stream_dram", allocate_128m, stream_dram, 1000000},
    {"stores_l2", allocate_256k, stores_l2, 1000000},
    {"copy_l3", allocate_4m, copy_l3, 1000000},
    {"gather_dram", allocate_128m, gather_dram, 200000},
    {"hash_lookup", hash_prepare, hash_lookup, 200000},
    {"byte_scan", scan_prepare, byte_scan, 1000000},
};

void collected(const struct kernel *kernel);
static volatile u64 result;
__attribute__((noipa)) void collected(const struct kernel *kernel) {
    result = kernel->run(kernel->steps);
    __asm__ volatile("");
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* 1,000,000 adds, each of which needs the one before: 1,000,000 cycles. */
static void adds(void) {
    u64 x = seven, count = 20000;
#define TEN "add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n" \
            "add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n add %0, %0\n"
    while (count--) __asm__ volatile(TEN TEN TEN TEN TEN : "+r"(x));
    result = x;
}

int main(int count, char **words) {
    if (count < 3) return fprintf(stderr, "usage: kernels record NAME | measure NAME ROUNDS\n"), 2;
    const struct kernel *kernel = kernels, *end = kernels + sizeof kernels / sizeof *kernels;
    while (kernel < end && strcmp(kernel->name, words[2])) kernel++;
    if (kernel == end) return fprintf(stderr, "kernels: no kernel is called %s\n", words[2]), 2;
    kernel->prepare();
    result = kernel->run(kernel->steps);
    if (!strcmp(words[1], "record")) {
        collected(kernel);
        printf("%lu\n", (unsigned long)kernel->steps);
        return 0;
    }
    for (int round = 0, rounds = count > 3 ? atoi(words[3]) : 1; round < rounds; round++) {
        double start = now();
        adds();
        double middle = now();
        result = kernel->run(kernel->steps);
        printf("%.0f\t%.0f\n", middle - start, now() - middle);
    }
    return 0;
}
