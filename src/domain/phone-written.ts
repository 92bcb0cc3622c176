/** Separate from phone.ts, whose parsing tables no screen needs. */

/** `+55 31 90234-1187`, `+351 912 345 678`; other text unchanged. */
export function formatPhone(digits: string): string {
  const brazil = brazilParts(digits);
  if (brazil) return `+${brazil}`;
  if (!/^\d{8,15}$/.test(digits)) return digits;
  const country = countryCode(digits);
  return `+${country} ${digits.slice(country.length).replace(/\d{3}(?=\d{3})/g, "$& ")}`;
}

/**
 * File form: text for a spreadsheet (`55 11 98765-4321`) that reads back equal. Foreign numbers begin with
 * 00, since + could start a formula.
 */
export function exportPhone(digits: string): string {
  const brazilian = brazilParts(digits);
  if (brazilian !== null) return brazilian;
  const country = countryCode(digits);
  return `00 ${country} ${digits.slice(country.length)}`;
}

function brazilParts(digits: string): string | null {
  const parts = /^55(\d{2})(\d{4,5})(\d{4})$/.exec(digits);
  return parts && `55 ${parts[1]} ${parts[2]}-${parts[3]}`;
}

function countryCode(digits: string): string {
  if (/^[17]/.test(digits)) return digits.slice(0, 1);
  const two = /^(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/.test(digits);
  return digits.slice(0, two ? 2 : 3);
}
