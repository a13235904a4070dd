/* Small programs whose functions are judged. The first argument is the name of a program; `sorts` is for trying the script
   and judges nothing. Functions are `noinline` so that a profile and a sampler name the same code. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
#define FUNCTION __attribute__((noinline)) static

static u64 state = 88172645463325252ull;
FUNCTION u64 random_next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* ---- words: counts words in a hash table with chains ---- */

struct word { struct word *next; u64 count; char *text; };
static struct word *buckets[16384];

FUNCTION char *text_make(u64 bytes) {
    char *text = malloc(bytes + 1);
    for (u64 i = 0; i < bytes;) {
        u64 pick = random_next() % 20000;
        pick = pick * (random_next() % 20000) / 20000;
        for (u64 left = pick + 26; left && i < bytes; left /= 26) text[i++] = (char)('a' + left % 26);
        if (i < bytes) text[i++] = ' ';
    }
    text[bytes] = 0;
    return text;
}
FUNCTION u64 word_hash(const char *text) {
    u64 h = 14695981039346656037ull;
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211ull;
    return h;
}
FUNCTION void word_count(const char *text) {
    struct word **at = &buckets[word_hash(text) % 16384];
    while (*at && strcmp((*at)->text, text)) at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        (*at)->text = strdup(text);
    }
    (*at)->count++;
}
FUNCTION u64 words(void) {
    char *text = text_make(6000000), *kept = 0;
    for (char *w = strtok_r(text, " ", &kept); w; w = strtok_r(0, " ", &kept)) word_count(w);
    return buckets[7] ? buckets[7]->count : 0;
}

/* ---- queens: recursion over bits ---- */

FUNCTION u64 place(u32 all, u32 columns, u32 left, u32 right) {
    if (columns == all) return 1;
    u64 found = 0;
    for (u32 free = all & ~(columns | left | right); free; free &= free - 1) {
        u32 bit = free & -free;
        found += place(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}
FUNCTION u64 queens(void) { return place((1 << 14) - 1, 0, 0, 0); }

/* ---- lz: finds matches with hash chains, then decodes them ---- */

FUNCTION u32 match_length(const unsigned char *a, const unsigned char *b, u32 limit) {
    u32 n = 0;
    while (n < limit && a[n] == b[n]) n++;
    return n;
}
FUNCTION u64 lz_encode(const unsigned char *in, u64 bytes, u32 *out) {
    static u32 head[65536], previous[1 << 22];
    u64 tokens = 0, at = 0;
    while (at + 4 < bytes) {
        u32 key;
        memcpy(&key, in + at, 4);
        u32 h = key * 2654435761u >> 16, best = 0, where = 0, tries = 12;
        for (u32 c = head[h]; c && tries--; c = previous[c]) {
            u32 n = match_length(in + c, in + at, at + 255 < bytes ? 255 : (u32)(bytes - at));
            if (n > best) best = n, where = c;
        }
        previous[at] = head[h], head[h] = (u32)at;
        if (best < 4) out[tokens++] = in[at], at++;
        else out[tokens++] = (u32)(at - where) << 8 | best, at += best;
    }
    return tokens;
}
FUNCTION u64 lz_decode(const u32 *tokens, u64 count, unsigned char *out) {
    u64 at = 0;
    for (u64 i = 0; i < count; i++) {
        if (tokens[i] < 256) out[at++] = (unsigned char)tokens[i];
        else
            for (u32 n = tokens[i] & 255, back = tokens[i] >> 8; n--; at++) out[at] = out[at - back];
    }
    return at;
}
FUNCTION u64 lz(void) {
    unsigned char *text = (unsigned char *)text_make(1000000), *copy = malloc(1100000);
    u32 *tokens = malloc(4 * 1000000);
    u64 count = lz_encode(text, 1000000, tokens), sum = 0;
    for (int i = 0; i < 20; i++) sum += lz_decode(tokens, count, copy);
    return sum;
}

/* ---- paths: shortest paths with a heap ---- */

enum { NODES = 60000, EDGES = 5 };
static u32 target[NODES][EDGES], weight[NODES][EDGES], distance[NODES];
static u64 heap[NODES * EDGES + 1], heap_count;

FUNCTION void heap_push(u64 item) {
    u64 i = heap_count++;
    for (; i && heap[(i - 1) / 2] > item; i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = item;
}
FUNCTION u64 heap_pop(void) {
    u64 top = heap[0], item = heap[--heap_count], i = 0;
    for (u64 child = 1; child < heap_count; i = child, child = 2 * i + 1) {
        if (child + 1 < heap_count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= item) break;
        heap[i] = heap[child];
    }
    heap[i] = item;
    return top;
}
FUNCTION void relax(u32 node, u32 far) {
    for (int e = 0; e < EDGES; e++) {
        u32 t = target[node][e], d = far + weight[node][e];
        if (d < distance[t]) distance[t] = d, heap_push((u64)d << 32 | t);
    }
}
FUNCTION u64 paths(void) {
    for (u32 n = 0; n < NODES; n++)
        for (int e = 0; e < EDGES; e++) target[n][e] = random_next() % NODES, weight[n][e] = 1 + random_next() % 1000;
    u64 sum = 0;
    for (u32 round = 0; round < 8; round++) {
        memset(distance, 255, sizeof distance);
        distance[round] = 0, heap_count = 0, heap_push(round);
        while (heap_count) {
            u64 top = heap_pop();
            if (top >> 32 == distance[(u32)top]) relax((u32)top, (u32)(top >> 32));
        }
        sum += distance[NODES - 1];
    }
    return sum;
}

/* ---- spectral: floating point with a division, and a matrix product ---- */

enum { N = 600 };
FUNCTION void multiply(const double *x, double *y, int across) {
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) {
            int a = across ? j : i, b = across ? i : j;
            sum += x[j] / ((a + b) * (a + b + 1) / 2 + a + 1);
        }
        y[i] = sum;
    }
}
FUNCTION void product(const double *a, const double *b, double *c, int n) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
FUNCTION u64 spectral(void) {
    double x[N], y[N], norm = 0;
    for (int i = 0; i < N; i++) x[i] = 1;
    for (int i = 0; i < 30; i++) {
        multiply(x, y, 0), multiply(y, x, 1);
        norm = 0;
        for (int j = 0; j < N; j++) norm += x[j] * x[j];
        for (int j = 0; j < N; j++) x[j] /= sqrt(norm);
    }
    double *m = calloc(3 * 250 * 250, sizeof *m);
    for (int i = 0; i < 2 * 250 * 250; i++) m[i] = i % 17;
    for (int i = 0; i < 6; i++) product(m, m + 250 * 250, m + 2 * 250 * 250, 250);
    return (u64)(norm + m[2 * 250 * 250 + 77]);
}

/* ---- digest: a hash with rounds of rotations, and a checksum by table ---- */

static u32 constants[64], table[256];
#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
FUNCTION void digest_block(u32 *h, const unsigned char *p) {
    u32 w[64], s[8];
    for (int i = 0; i < 16; i++) w[i] = (u32)p[4 * i] << 24 | (u32)p[4 * i + 1] << 16 | (u32)p[4 * i + 2] << 8 | p[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (ROTATE(w[i - 15], 7) ^ ROTATE(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (ROTATE(w[i - 2], 17) ^ ROTATE(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        u32 a = s[7] + (ROTATE(s[4], 6) ^ ROTATE(s[4], 11) ^ ROTATE(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
        u32 b = (ROTATE(s[0], 2) ^ ROTATE(s[0], 13) ^ ROTATE(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 28);
        s[4] += a, s[0] = a + b;
    }
    for (int i = 0; i < 8; i++) h[i] += s[i];
}
FUNCTION u32 checksum(const unsigned char *p, u64 bytes) {
    u32 c = ~0u;
    for (u64 i = 0; i < bytes; i++) c = c >> 8 ^ table[(c ^ p[i]) & 255];
    return ~c;
}
FUNCTION u64 digest(void) {
    u64 bytes = 4 << 20;
    unsigned char *data = malloc(bytes);
    for (u64 i = 0; i < bytes; i++) data[i] = (unsigned char)(i * 7 >> 3);
    for (u32 i = 0; i < 64; i++) constants[i] = i * 2654435761u;
    for (u32 i = 0; i < 256; i++) {
        u32 c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        table[i] = c;
    }
    u32 h[8] = {1, 2, 3, 4, 5, 6, 7, 8}, c = 0;
    for (u64 i = 0; i < bytes; i += 64) digest_block(h, data + i);
    for (int i = 0; i < 4; i++) c ^= checksum(data, bytes);
    return h[0] ^ c;
}

/* ---- sorts: to try the script ---- */

FUNCTION int compare(const void *a, const void *b) {
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}
FUNCTION void shell_sort(u32 *v, u32 n) {
    for (u32 gap = n / 2; gap; gap /= 2)
        for (u32 i = gap; i < n; i++) {
            u32 item = v[i], j = i;
            for (; j >= gap && v[j - gap] > item; j -= gap) v[j] = v[j - gap];
            v[j] = item;
        }
}
FUNCTION u64 sorts(void) {
    u32 n = 300000, *a = malloc(4 * n), *b = malloc(4 * n);
    for (u32 i = 0; i < n; i++) a[i] = b[i] = (u32)random_next();
    qsort(a, n, 4, compare);
    shell_sort(b, n);
    return a[5] + b[n / 2];
}

int main(int count, char **argument) {
    static const struct { const char *name; u64 (*run)(void); } all[] = {
        {"words", words}, {"queens", queens}, {"lz", lz}, {"paths", paths}, {"spectral", spectral}, {"digest", digest}, {"sorts", sorts},
    };
    for (u64 i = 0; i < sizeof all / sizeof *all; i++)
        if (count > 1 && !strcmp(all[i].name, argument[1])) return printf("%lu\n", (unsigned long)all[i].run()), 0;
    return fprintf(stderr, "usage: programs NAME\n"), 2;
}
