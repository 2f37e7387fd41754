/** Division of decimals without the loss of doubles. */

/** Whether `value` is a whole multiple of `step`, both taken as the decimals they are written as. */
export function isMultipleOf(value: string, step: string): boolean {
  const [digits, power] = decimal(value);
  const [stepDigits, stepPower] = decimal(step);
  const least = Math.min(power, stepPower);
  const scaled = digits * 10n ** BigInt(power - least);
  return scaled % (stepDigits * 10n ** BigInt(stepPower - least)) === 0n;
}

/** Digits and the power of ten they are multiplied by. */
function decimal(text: string): [digits: bigint, power: number] {
  const [mantissa = "0", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
