import { AppError } from "../../domain/errors.ts";
import type { EvolutionClient } from "../transports/gateway/evolution-client.ts";
import type { Check } from "./repo.ts";

/**
 * The instance list decides; the front page only gives the version, if any. Throws `url_forbidden`,
 * `url_private`.
 */
export async function checkServer(
  client: Pick<EvolutionClient, "version" | "fetchInstances">,
): Promise<Check> {
  const [listed, version] = await Promise.all([
    client.fetchInstances().then(
      () => null,
      (error: unknown) => toError(error),
    ),
    client.version().catch((error: unknown) => {
      toError(error);
      return null;
    }),
  ]);
  if (listed === null) return { state: "ok", version, licenseUrl: null };
  // An Evolution API with an error of its own.
  const ill = version !== null && isError(listed);
  return { ...(foundBy(listed) ?? { state: ill ? "failing" : "not_evolution", licenseUrl: null }), version };
}

/** Null: nothing certain about the server. */
export function foundBy(error: unknown): Check | null {
  if (!(error instanceof AppError)) return null;
  const state = STATES[error.code];
  const { registerUrl } = error.details;
  const licenseUrl = typeof registerUrl === "string" ? registerUrl : null;
  return state ? { state, version: null, licenseUrl } : null;
}

const STATES: Partial<Record<AppError["code"], Check["state"]>> = {
  gateway_unreachable: "unreachable",
  gateway_wrong_key: "wrong_key",
  license_required: "license_required",
};

const isError = ({ code, details }: AppError) =>
  code === "gateway_database" || (code === "gateway_failed" && Number(details.status) >= 500);

function toError(error: unknown): AppError {
  const ours = error instanceof AppError;
  if (!ours || error.code === "url_forbidden" || error.code === "url_private") throw error;
  return error;
}
