/** libsignal's console lines contain private ratchet keys. */
const NOISE = [
  "Closing session:",
  "Opening session:",
  "Removing old closed session:",
  "Session already",
  "Closing open session in favor of incoming prekey bundle",
  "Closing stale open session",
  "Migrating session to:",
  "Decrypted message with closed session",
  "Failed to decrypt message with any known session",
  "Session error:",
];

export function quietSignal(): void {
  const output = globalThis.console;
  for (const level of ["info", "warn", "error", "log"] as const) {
    const real = output[level].bind(output);
    output[level] = (...words: unknown[]) => {
      const [first] = words;
      if (typeof first === "string" && NOISE.some((start) => first.startsWith(start))) return;
      real(...words);
    };
  }
}
