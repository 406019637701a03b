/* exp, log, cos and tanh: against libm's, and the same bits on every machine. */
#include "check.h"
#include "common/base/elementary.h"

#include <string.h>

/* FNV-1a, of a double by its bits. */
static uint64_t hash_number(uint64_t hash, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int b = 0; b < 64; b += 8)
        hash = (hash ^ (bits >> b & 255)) * 0x100000001b3u;
    return hash;
}

/* Their last places, which nothing else here looks at: the same bits on every machine. */
static void check_last_places(void)
{
    check_group("the last places of elementary functions");
    uint64_t hash[4] = {0};
    for (int i = -7100; i <= 7100; i++) {
        const double x = i * 0.1, size = fabs(x) + 0.003;
        hash[0] = hash_number(hash[0], elementary_exp(x));
        hash[1] = hash_number(hash[1], elementary_log(size));
        hash[2] = hash_number(hash[2], elementary_cos(x));
        hash[3] = hash_number(hash[3], elementary_tanh(x / 30));
    }
    static const uint64_t known[] = {0x35596731d19eb8b9u, 0x3cdc41a9c7ccc35eu, 0xb7ab6f95cf0e5d99u,
                                     0xb03113c00eded9e4u};
    static const char *const name[] = {"exp", "log", "cos", "tanh"};
    for (int f = 0; f < 4; f++)
        CHECK(hash[f] == known[f], "%s: %#llx", name[f], (unsigned long long)hash[f]);
}

/* How many units in the last place a number is away from the one that is wanted. */
static double ulps(double got, double want)
{
    return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

static void check_elementary(void)
{
    /* libm's own are within 1 unit or less. */
    check_group("the exponential");
    for (double x = -708; x <= 709; x += 0.00937)
        CHECK(ulps(elementary_exp(x), exp(x)) <= 2, "exp %.17g: %.17g, libm %.17g", x,
              elementary_exp(x), exp(x));
    for (double x = 1e-300; x < 1; x *= 1.7)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(ulps(elementary_exp(sign * x), exp(sign * x)) <= 2, "exp %.17g: %.17g", sign * x,
                  elementary_exp(sign * x));
    CHECK(elementary_exp(0) == 1 && elementary_exp(-0.0) == 1, "exp 0");
    CHECK(elementary_exp(-708) > 0 && elementary_exp(-708.01) == 0 && elementary_exp(-1e9) == 0
              && elementary_exp(-INFINITY) == 0,
          "0 below -708");
    CHECK(elementary_exp(709.5) == elementary_exp(709)
              && elementary_exp(INFINITY) == elementary_exp(709),
          "clamped above");
    CHECK(isnan(elementary_exp(NAN)) && isnan(elementary_exp(-NAN)), "not a number");

    check_group("the logarithm");
    for (int e = -1021; e <= 1023; e += 4)
        for (double m = 1; m < 2; m += 0.00731)
            CHECK(ulps(elementary_log(ldexp(m, e)), log(ldexp(m, e))) <= 2,
                  "log %.17g: %.17g, libm %.17g", ldexp(m, e), elementary_log(ldexp(m, e)),
                  log(ldexp(m, e)));
    for (double x = 0.5; x < 2; x += 0.0000313)
        CHECK(ulps(elementary_log(x), log(x)) <= 2, "log %.17g: %.17g, libm %.17g", x,
              elementary_log(x), log(x));
    for (double x = 1e-15; x < 0.1; x *= 1.7)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(ulps(elementary_log(1 + sign * x), log(1 + sign * x)) <= 2, "log (1 + %.17g)",
                  sign * x);
    CHECK(elementary_log(1) == 0, "log 1");
    CHECK(ulps(elementary_log(0x1p-1022), log(0x1p-1022)) <= 2
              && ulps(elementary_log(1.7976931348623157e308), log(1.7976931348623157e308)) <= 2,
          "the ends");

    check_group("the cosine");
    for (double x = 0; x < 100; x += 0.00317)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(fabs(elementary_cos(sign * x) - cos(sign * x)) <= 1e-15,
                  "cos %.17g: %.17g, libm %.17g", sign * x, elementary_cos(sign * x),
                  cos(sign * x));
    for (double x = 100; x <= 1e6; x += 7.77)
        for (int sign = -1; sign <= 1; sign += 2)
            CHECK(fabs(elementary_cos(sign * x) - cos(sign * x)) <= 1e-15,
                  "cos %.17g: %.17g, libm %.17g", sign * x, elementary_cos(sign * x),
                  cos(sign * x));
    for (int quarter = -4000; quarter <= 4000;
         quarter++) { /* where it is least exact next to its size, and where the pieces meet */
        double x = quarter * 0.78539816339744831;
        CHECK(fabs(elementary_cos(x) - cos(x)) <= 1e-15, "cos %d pi / 4: %.17g, libm %.17g",
              quarter, elementary_cos(x), cos(x));
    }
    CHECK(elementary_cos(0) == 1 && elementary_cos(-0.0) == 1 && elementary_cos(1e-300) == 1,
          "cos 0");
    for (double x = 1e6; x < 1e308; x *= 1.9)
        CHECK(fabs(elementary_cos(x)) <= 1 && fabs(elementary_cos(-x)) <= 1, "cos %.17g: %.17g", x,
              elementary_cos(x));

    /* libm's own is within 2 units. */
    check_group("the hyperbolic tangent");
    for (double x = 0; x < 23; x += 0.0000917)
        CHECK(ulps(elementary_tanh(x), tanh(x)) <= 4, "tanh %.17g: %.17g, libm %.17g", x,
              elementary_tanh(x), tanh(x));
    for (double x = 5e-324; x < 1; x *= 1.7)
        CHECK(ulps(elementary_tanh(x), tanh(x)) <= 4, "tanh %.17g: %.17g, libm %.17g", x,
              elementary_tanh(x), tanh(x));
    for (double x = 1e-310; x < 1e300; x *= 1.9)
        CHECK(elementary_tanh(-x) == -elementary_tanh(x), "tanh %.17g is odd", x);
    CHECK(elementary_tanh(5e-324) == 5e-324 && elementary_tanh(1e-300) == 1e-300, "tiny numbers");
    CHECK(elementary_tanh(0) == 0 && !signbit(elementary_tanh(0)) && signbit(elementary_tanh(-0.0)),
          "tanh 0");
    CHECK(elementary_tanh(22) == 1 && elementary_tanh(-1e308) == -1
              && elementary_tanh(INFINITY) == 1 && elementary_tanh(-INFINITY) == -1,
          "1 in size");
    CHECK(isnan(elementary_tanh(NAN)) && isnan(elementary_tanh(-NAN)), "not a number");
    /* A last place that another tanh may round otherwise. */
    static const double at[] = {0.1, 0.3, 0.7, 1.1, 2.3, 5.9};
    static const double tangent[] = {0x1.983d7795f413bp-4, 0x1.2a4dda7d914f9p-2,
                                     0x1.356fb17af2e91p-1, 0x1.99db01fde2405p-1,
                                     0x1.f5cf31e1c8103p-1, 0x1.fffe0861a4eefp-1};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        CHECK(elementary_tanh(at[i]) == tangent[i], "tanh %g: %a, on every machine %a", at[i],
              elementary_tanh(at[i]), tangent[i]);
}

int main(void)
{
    check_elementary();
    check_last_places();
    return check_finish();
}
