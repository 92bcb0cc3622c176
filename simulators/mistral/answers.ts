/** A status and its JSON body; 204 has none. */
export type ApiAnswer = { status: number; body: unknown };

/** How Mistral words an error of its services (seen in public reports of its users). */
export function errorBody(message: string, type: string, code: string) {
  return { object: "error", message, type, param: null, code };
}

/** What the door says to an unknown key, the same for every route. */
export const UNAUTHORIZED: ApiAnswer = { status: 401, body: { detail: "Unauthorized" } };

export const NO_ROUTE: ApiAnswer = { status: 404, body: { detail: "Not Found" } };

/** One fault of a 422, as FastAPI and pydantic word it. */
export type FieldError = { type: string; loc: (string | number)[]; msg: string; input: unknown };

export const invalid = (faults: FieldError[]): ApiAnswer => ({ status: 422, body: { detail: faults } });
