/**
 * The arithmetic of `src/stats/kappa.ts` for a page, which can load no module: Cohen's κ and the share of equal verdicts
 * with their 95% intervals, from the four counts. A test holds it to the original.
 */
export const AGREEMENT_SCRIPT = `
function graderAgreement(bothPass, onlyFirst, onlySecond, bothFail) {
  const Z = 1.959963984540054;
  const n = bothPass + onlyFirst + onlySecond + bothFail;
  if (n === 0) return null;
  const cohen = (cells) => {
    const total = cells.reduce((sum, cell) => sum + cell, 0);
    const [pass, first, second, fail] = cells.map((cell) => cell / total);
    const row = pass + first, column = pass + second;
    const observed = pass + fail, chance = row * column + (1 - row) * (1 - column);
    if (chance === 1) return null;
    const kappa = (observed - chance) / (1 - chance);
    const agreeing = pass * (1 - (row + column) * (1 - kappa)) ** 2 + fail * (1 - (2 - row - column) * (1 - kappa)) ** 2;
    const disagreeing = (1 - kappa) ** 2 * (first * (column + 1 - row) ** 2 + second * (1 - column + row) ** 2);
    const centre = (kappa - chance * (1 - kappa)) ** 2;
    return { kappa, error: Math.sqrt(Math.max(0, (agreeing + disagreeing - centre) / (total * (1 - chance) ** 2))) };
  };
  const rate = (bothPass + bothFail) / n, z2 = Z * Z;
  const middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z / (1 + z2 / n)) * Math.sqrt((rate * (1 - rate)) / n + z2 / (4 * n * n));
  const interval = { low: rate === 0 ? 0 : Math.max(0, middle - half), high: rate === 1 ? 1 : Math.min(1, middle + half) };
  const cells = [bothPass, onlyFirst, onlySecond, bothFail];
  const exact = cohen(cells), wide = cohen(cells.map((cell) => cell + 0.5));
  if (!exact || !wide) return { n, agreement: rate, interval };
  const kappaInterval = {
    low: Math.max(-1, Math.min(exact.kappa, wide.kappa - Z * wide.error)),
    high: Math.min(1, Math.max(exact.kappa, wide.kappa + Z * wide.error)),
  };
  return { n, agreement: rate, interval, kappa: exact.kappa, kappaInterval };
}
`;
