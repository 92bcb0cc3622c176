import { AppError } from "../../../domain/errors.ts";
import type { EvolutionClient } from "./evolution-client.ts";

type Calls = Pick<EvolutionClient, "connectionState" | "logout" | "deleteInstance">;

/**
 * After an error the state decides, because a gateway may have done it (two parts of it delete the same row).
 * Throws while the session may be linked.
 */
export async function logOutThere(client: Calls, name: string): Promise<void> {
  await client.logout(name).catch(async (error: unknown) => {
    if (isUnknown(error) || saysNotConnected(error)) return;
    if (!(await isClosed(client, name, error))) throw error;
  });
}

/**
 * Tried again after an error with a closed session: the first call stopped after the logout. False: not
 * there. Throws if it still exists.
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

/** Throws `error` if the state query fails too. */
async function stateOf(client: Calls, name: string, error: unknown): Promise<string> {
  if (!(error instanceof AppError) || error.code !== "gateway_failed") throw error;
  return client.connectionState(name).catch((other: unknown) => {
    if (isUnknown(other)) return "unknown";
    throw error;
  });
}

const isUnknown = (error: unknown): boolean => error instanceof AppError && error.code === "instance_unknown";

/** A closed session cannot be ended: 400 before 2.4. */
const saysNotConnected = (error: unknown): boolean =>
  error instanceof AppError &&
  error.code === "gateway_failed" &&
  /is not connected/.test(String(error.details.message));
