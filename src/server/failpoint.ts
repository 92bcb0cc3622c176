/** The named steps of a send at which a fault run may end the process. */
export type Failpoint =
  | "claim_committed"
  | "before_write"
  | "bytes_written"
  | "acknowledged"
  | "before_record"
  | "after_record"
  | "before_end";

let hook: ((name: Failpoint) => void) | null = null;

/** Tells fault runs where a send stands. Nothing in the product ever sets a hook: only a module preloaded by tests/faults does. */
export function failpoint(name: Failpoint): void {
  hook?.(name);
}

/** For fault runs alone. */
export function setFailpoint(call: ((name: Failpoint) => void) | null): void {
  hook = call;
}
