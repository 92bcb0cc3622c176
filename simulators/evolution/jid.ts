export const USER = "@s.whatsapp.net";
export const GROUP = "@g.us";
export const LID = "@lid";
export const STATUS = "status@broadcast";

export const digitsOf = (jid: string) => jid.split(/[:@]/)[0] ?? "";

/** The gateway's own rule: no country code is added, and any Brazilian number loses its fifth digit. */
export function createJid(number: string): string {
  if (/@(g\.us|s\.whatsapp\.net|lid|broadcast)/.test(number)) return number;
  const bare = number.replace(/[\s+()]/g, "").split(/[:@]/)[0] ?? "";
  if (bare.includes("-") && bare.length >= 24) return bare.replace(/[^\d-]/g, "") + GROUP;
  const digits = bare.replace(/\D/g, "");
  if (digits.length >= 18) return digits + GROUP;
  return shortenBrazilian(shortenMexicanOrArgentine(digits)) + USER;
}

function shortenMexicanOrArgentine(digits: string): string {
  const country = digits.slice(0, 2);
  return digits.length === 13 && (country === "52" || country === "54") ? country + digits.slice(3) : digits;
}

function shortenBrazilian(digits: string): string {
  const parts = /^55(\d{2})\d(\d{8})$/.exec(digits);
  if (!parts?.[1] || !parts[2]) return digits;
  const [, area, last8] = parts;
  return Number(last8[0]) < 7 || Number(area) < 31 ? digits : `55${area}${last8}`;
}
