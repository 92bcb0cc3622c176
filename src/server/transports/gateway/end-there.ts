import { AppError } from "../../../domain/errors.ts";
import type { EvolutionClient } from "./evolution-client.ts";

type Calls = Pick<EvolutionClient, "connectionState" | "logout" | "deleteInstance">;

/**
 * Ends an instance's session. A gateway that answers with an error may have done it all the same (two parts of it delete the same row),
 * so the state decides. Throws the gateway's error while the session may still be linked.
 */
export async function logOutThere(client: Calls, name: string): Promise<void> {
  await client.logout(name).catch(async (error: unknown) => {
    if (isUnknown(error) || saysNotConnected(error)) return;
    if (!(await isClosed(client, name, error))) throw error;
  });
}

/**
 * Deletes an instance. After an error it is deleted once more where its session is closed: the first call ended the session and stopped
 * there. False: the gateway did not have it. Throws when it is still there.
 */
export async function deleteThere(client: Calls, name: string): Promise<boolean> {
  try {
    await client.deleteInstance(name);
    return true;
  } catch (error) {
    if (isUnknown(error)) return false;
    if (!(await isClosed(client, name, error))) throw error;
  }
  await client.deleteInstance(name).catch(async (error: unknown) => {
    if (!isUnknown(error) && (await stateOf(client, name, error)) !== "unknown") throw error;
  });
  return true;
}

async function isClosed(client: Calls, name: string, error: unknown): Promise<boolean> {
  const state = await stateOf(client, name, error);
  return state === "close" || state === "unknown";
}

/** The state after a call that failed with `error`, which is thrown where the state cannot be asked for either. */
async function stateOf(client: Calls, name: string, error: unknown): Promise<string> {
  if (!(error instanceof AppError) || error.code !== "gateway_failed") throw error;
  return client.connectionState(name).catch((other: unknown) => {
    if (isUnknown(other)) return "unknown";
    throw error;
  });
}

const isUnknown = (error: unknown): boolean => error instanceof AppError && error.code === "instance_unknown";

/** A session that is closed already cannot be ended: 400 before 2.4. */
const saysNotConnected = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === "gateway_failed" &&
  /is not connected/.test(String(error.details.message));
