import { getRouteApi } from "@tanstack/react-router";
import type { Me } from "../../contract/accounts.ts";

const shell = getRouteApi("/shell");

/** Only inside the shell, whose guard has loaded it. */
export function useMe(): Me {
  return shell.useRouteContext().me;
}
