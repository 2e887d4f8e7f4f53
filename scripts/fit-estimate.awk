# SPDX-License-Identifier: Apache-2.0
# The fit of scripts/fit-estimate: from lines "fit NAME PART FIGURE VALUE" and "feature NAME PART FEATURE VALUE" to
# lines "coefficient PART FIGURE FEATURE VALUE". Coefficients are not negative, and minimise the squares of the relative
# differences and, a little, their own (but what is always there): with few variants several features may stand for the same.

BEGIN {
    RIDGE = 0.002
    ROUNDS = 1000
    split("luts flip_flops longest_path", figures, " ")
    split("cluster around", parts, " ")
}

$1 == "fit" {
    if (!($2 in seen)) names[++count] = $2
    seen[$2]
    measured[$2, $3, $4] = $5
}

$1 == "feature" {
    value[$2, $3, $4] = $5
    if (!(($3, $4) in known)) feature[$3, ++features[$3]] = $4
    known[$3, $4]
}

# A path does not add up: it is as long everywhere but behind the host port.
function matters(figure, name) {
    return figure != "longest_path" || name == "one" || name == "host"
}

# x: features over what was measured, in columns with a mean of 1; so a coefficient is a share.
function fit(part, figure,    r, j, n, rows, name, mean, round, top, bottom, x, rest, c, old) {
    n = features[part]
    rows = 0
    for (r = 1; r <= count; r++)
        if ((names[r], part, figure) in measured) name[++rows] = names[r]
    for (j = 1; j <= n; j++) {
        mean[j] = 0
        for (r = 1; r <= rows; r++) {
            x[r, j] = value[name[r], part, feature[part, j]] / measured[name[r], part, figure]
            mean[j] += x[r, j] / rows
        }
        for (r = 1; r <= rows; r++)
            if (mean[j] > 0) x[r, j] /= mean[j]
        c[j] = 0
    }
    for (r = 1; r <= rows; r++) rest[r] = 1
    for (round = 1; round <= ROUNDS; round++)
        for (j = 1; j <= n; j++) {
            if (mean[j] <= 0 || !matters(figure, feature[part, j])) continue
            top = bottom = 0
            for (r = 1; r <= rows; r++) {
                top += x[r, j] * (rest[r] + c[j] * x[r, j])
                bottom += x[r, j] * x[r, j]
            }
            old = c[j]
            c[j] = top / (bottom + (feature[part, j] == "one" ? 0 : RIDGE * rows))
            if (c[j] < 0) c[j] = 0
            for (r = 1; r <= rows; r++) rest[r] -= (c[j] - old) * x[r, j]
        }
    for (j = 1; j <= n; j++)
        if (c[j] > 0.0005) printf "coefficient\t%s\t%s\t%s\t%.6g\n", part, figure, feature[part, j], c[j] / mean[j]
}

END {
    for (p = 1; p in parts; p++)
        for (f = 1; f in figures; f++) fit(parts[p], figures[f])
}
