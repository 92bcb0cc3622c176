/**
 * Licences of parts that may ship with AGPL-3.0-only
 * (https://www.gnu.org/licenses/license-list.html#GPLCompatibleLicenses): GPL-3.0 by section 13 of both;
 * LGPL-3.0 and MPL-2.0 require only their own source; OFL-1.1 is the typeface's.
 */
const ALLOWED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT-0",
  "OFL-1.1",
  "Unlicense",
  "MPL-2.0",
  "LGPL-3.0",
  "LGPL-3.0-or-later",
  "GPL-3.0",
  "GPL-3.0-only",
  "GPL-3.0-or-later",
  "AGPL-3.0-only",
  "AGPL-3.0-or-later",
]);

/**
 * Whether an SPDX expression (`A OR (B AND C)`) can be met with allowed licences alone; false for one that
 * cannot be parsed.
 */
export function isAllowed(expression: string): boolean {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const any = (): boolean => {
    let allowed = all();
    while (words[at] === "OR") {
      at++;
      allowed = all() || allowed;
    }
    return allowed;
  };
  const all = (): boolean => {
    let allowed = one();
    while (words[at] === "AND") {
      at++;
      allowed = one() && allowed;
    }
    return allowed;
  };
  const one = (): boolean => {
    const word = words[at++] ?? "";
    if (word !== "(") return ALLOWED.has(word);
    const allowed = any();
    return words[at++] === ")" && allowed;
  };
  return any() && at === words.length;
}

export type Lock = { packages: Record<string, { version?: string; license?: string }> };

/**
 * Packages of the lock without an allowed licence. Development packages count too: the page is built from
 * some of them.
 */
export function refusedLicences({ packages }: Lock): string[] {
  return Object.entries(packages)
    .filter(([place, { license = "" }]) => place !== "" && !isAllowed(license))
    .map(([place, { version, license }]) => `${place} ${version ?? ""}: ${license ?? "no licence"}`);
}
