import type { PasswordHasher } from "../../src/server/accounts/password.ts";

export function countingHasher() {
  const count = { hash: 0, verify: 0 };
  const hasher: PasswordHasher = {
    hash: async (password) => {
      count.hash++;
      return `plain:${password}`;
    },
    verify: async (hashed, password) => {
      count.verify++;
      return hashed === `plain:${password}`;
    },
  };
  return { count, hasher };
}
