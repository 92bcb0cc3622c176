export type Failpoint =
  | "claim_committed"
  | "before_write"
  | "bytes_written"
  | "acknowledged"
  | "part_acknowledged"
  | "part_recorded"
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

/** Global: a preloaded module and the built product have separate copies of this module. */
const HOOK = Symbol.for("recado.failpoint");
const held = globalThis as { [HOOK]?: Hook };
/** Called after a step. Only a module preloaded by tests/faults sets a hook. */
export function failpoint(name: Failpoint): void {
  held[HOOK]?.(name);
}

export function setFailpoint(call: ((name: Failpoint) => void) | null): void {
  held[HOOK] = call;
}
