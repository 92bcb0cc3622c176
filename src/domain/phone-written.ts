/**
 * How a phone that is kept as digits is written. Apart from the rules that read it (phone.ts), whose tables no screen needs: nearly every
 * screen shows a phone.
 */

/**
 * How a phone is shown on every screen: `+55 31 90234-1187`, `+351 912 345 678`; what is no phone, as a chat may be called, as it stands.
 * `digits`: canonical, without plus.
 */
export function formatPhone(digits: string): string {
  const brazil = brazilParts(digits);
  if (brazil) return `+${brazil}`;
  if (!/^\d{8,15}$/.test(digits)) return digits;
  const country = countryCode(digits);
  return `+${country} ${digits.slice(country.length).replace(/\d{3}(?=\d{3})/g, "$& ")}`;
}

/**
 * How a phone is written to a file: text to a spreadsheet (`55 11 98765-4321`), and read back as the same number. Other countries
 * begin with 00, since a cell that begins with + could be taken for a formula.
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

/** ITU-T E.164 country codes have one, two or three digits; these are the zones and codes that are not three. */
function countryCode(digits: string): string {
  if (/^[17]/.test(digits)) return digits.slice(0, 1);
  const two = /^(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/.test(digits);
  return digits.slice(0, two ? 2 : 3);
}
