import { sql } from "kysely";
import type { FirstSteps } from "../../contract/dashboard.ts";
import { connectionCounts } from "../connections/service.ts";
import { contactCounts } from "../contacts/service.ts";
import type { Owner } from "../db/owner.ts";
import { sqlParts } from "../sending/sending.ts";

/**
 * A sent message proves number and list, even if deleted since, so no step is undone. Each query stops at its
 * first index row.
 */
export async function findFirstSteps(owner: Owner): Promise<FirstSteps> {
  const { hasTested, hasStarted } = sqlParts();
  const { rows } = await sql<FirstSteps>`
    with done as (select ${hasTested(owner)} as test, ${hasStarted(owner)} as campaign)
    select test or ${connectionCounts.hasLinked(owner)} as connect, campaign or ${contactCounts.hasPeople(owner)} as contacts, test, campaign
    from done`.execute(owner.db);
  if (!rows[0]) throw new Error("no answer");
  return rows[0];
}
