/** The named steps of a send, of storing receipts and messages, and of an assistant's answer, at which a fault run may end the process. */
export type Failpoint =
  | "claim_committed"
  | "before_write"
  | "bytes_written"
  | "acknowledged"
  | "id_stored"
  | "before_record"
  | "after_record"
  | "before_end"
  | "receipt_read"
  | "receipt_stored"
  | "message_opened"
  | "message_stored"
  | "message_keys_stored"
  | "answer_begun"
  | "answer_thought"
  | "answer_stored";

type Hook = ((name: Failpoint) => void) | null;

/** On the process: what is preloaded comes from the sources, the product from what was built of them, and each has this module. */
const HOOK = Symbol.for("recado.failpoint");
const held = globalThis as { [HOOK]?: Hook };
/** Tells fault runs what has just been done. Nothing in the product ever sets a hook: only a module preloaded by tests/faults does. */
export function failpoint(name: Failpoint): void {
  held[HOOK]?.(name);
}

/** For fault runs alone. */
export function setFailpoint(call: ((name: Failpoint) => void) | null): void {
  held[HOOK] = call;
}
