/* Elimination, Cholesky and eigenvectors give the same bytes on every machine: checksums of what
 * they find for a few random matrices. */
#include "check.h"
#include "common/linalg/dense.h"
#include "dense_plain.h"

/* FNV-1a, of doubles by their bits. */
static uint64_t hash_numbers(uint64_t hash, const double *a, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        uint64_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        for (int b = 0; b < 64; b += 8)
            hash = (hash ^ (bits >> b & 255)) * 0x100000001b3u;
    }
    return hash;
}

/* Sums are made in one order on every machine: what leaves all residuals small, but changes a last
 * place, is noticed here. */
static void check_bytes(void)
{
    enum { M = 3 };
    static const struct {
        int64_t n;
        uint64_t elimination, cholesky, eigen, ties;
    } known[] = {
        {1, 0xbc3c3a8c60ec5ce9u, 0x70cecbf00df8a036u, 0xa2d17b2cdc31b5dbu, 0xf4e56aa01a11b840u},
        {7, 0xf853bed0bbbdcc35u, 0x86d14fbc33df1746u, 0x26673e4f0a721b6eu, 0xaa697677d8c20fu},
        {40, 0x4260c9032e580853u, 0x3b2d732ca29286eu, 0x249d0d0a6b683ac4u, 0x6cf8be983412d2e4u},
        {97, 0x7af9be84b66bfa1au, 0x21b518933b1287c8u, 0x304e8866a0e0be6fu, 0xf612ffca1ae81e7u},
        {290, 0xab23efaf18e8fcf2u, 0x815f75e18cbc008cu, 0x7bde44990a2baa01u, 0xba36c2ac18100e68u},
        {530, 0xc0783cb1ccef2984u, 0xdec56f14dfaba016u, 0x2a15bc33cc30c6u, 0x65c8c130f165c5cdu},
    };
    for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
        struct random g = {43};
        int64_t n = known[t].n;
        check_group("the same bytes on every machine, n = %lld", (long long)n);
        double *a = random_matrix(&g, n, n), *lu = copy_matrix(a, n, n),
               *b = random_matrix(&g, n, M), *x = copy_matrix(b, n, M);
        double *l = new_matrix(n, n), *value = new_matrix(n, 1), *v = new_matrix(n, n);
        int64_t *pivot = calloc((size_t)n, sizeof *pivot), m = n < 300 ? n : 5;
        CHECK(dense_lu(n, lu, pivot, 2, NULL) == 0
                  && dense_lu_solve(n, M, lu, pivot, x, 2, NULL) == 0,
              "elimination");
        uint64_t hash = hash_numbers(hash_numbers(0, lu, n * n), x, n * M);
        CHECK(hash == known[t].elimination, "elimination: %#llx", (unsigned long long)hash);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                l[i * n + j] = a[i * n + j] + (i == j ? (double)n : 0);
        memcpy(x, b, (size_t)(n * M) * sizeof *x);
        CHECK(dense_cholesky(n, l, 2, NULL) == 0 && dense_cholesky_solve(n, M, l, x, 2, NULL) == 0,
              "Cholesky");
        hash = hash_numbers(0, x, n * M);
        for (int64_t i = 0; i < n; i++)
            hash = hash_numbers(hash, l + i * n, i + 1);
        CHECK(hash == known[t].cholesky, "Cholesky: %#llx", (unsigned long long)hash);
        CHECK_INT(dense_eigen(n, a, m, value, v, 2, NULL), 0, "eigenvectors");
        hash = hash_numbers(hash_numbers(0, value, m), v, m * n);
        CHECK(hash == known[t].eigen, "eigenvectors: %#llx", (unsigned long long)hash);
        for (int64_t i = 0; i < n * n; i++) /* falls into pieces, some of them alike */
            a[i] = random_uniform(&g) < 1.5 / (double)n;
        CHECK_INT(dense_eigen(n, a, m, value, v, 2, NULL), 0, "eigenvectors of few ones");
        hash = hash_numbers(hash_numbers(0, value, m), v, m * n);
        CHECK(hash == known[t].ties, "eigenvectors of few ones: %#llx", (unsigned long long)hash);
        free(a), free(lu), free(b), free(x), free(l), free(value), free(v), free(pivot);
    }
}

int main(void)
{
    check_bytes();
    return check_finish();
}
