import { type ErasureDeps, ErasureService } from "./erasure-service.ts";
import { FieldService } from "./fields-service.ts";
import { ListService } from "./lists-service.ts";
import type { ExportDeps } from "./people-export.ts";
import { type PeopleDeps, PeopleService } from "./people-service.ts";
import { SelectionService } from "./selection-service.ts";

export type People = {
  people: PeopleService;
  erasures: ErasureService;
  selections: SelectionService;
  fields: FieldService;
  lists: ListService;
  exports: ExportDeps;
};

export function openPeople(deps: PeopleDeps & ExportDeps & ErasureDeps): People {
  const { changes, downloads, timeZoneOf } = deps;
  return {
    people: new PeopleService(deps),
    erasures: new ErasureService(deps),
    selections: new SelectionService(changes),
    fields: new FieldService(changes),
    lists: new ListService(changes),
    exports: { downloads, timeZoneOf },
  };
}
