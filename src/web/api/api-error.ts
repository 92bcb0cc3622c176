/** A fault of a call: `text` is for people, `code` for decisions, `fields` holds the words of each faulty field. `status` 0: no answer at all. */
export class ApiError extends Error {
  readonly code: string;
  readonly text: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  constructor(fault: { code: string; text: string; status: number; fields?: Record<string, string> }) {
    super(fault.text);
    this.name = "ApiError";
    this.code = fault.code;
    this.text = fault.text;
    this.status = fault.status;
    this.fields = fault.fields ?? {};
  }
}

/** The words to show for whatever was thrown. */
export function faultText(error: unknown, otherwise: string): string {
  return error instanceof ApiError ? error.text : otherwise;
}
