import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useEffect, useRef } from "react";
import type { ContactImport } from "../../../contract/contacts.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { commonText } from "../../messages/common.ts";
import { formatShare } from "../../messages/format.ts";
import { importText as t } from "../../messages/import.ts";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import styles from "./contacts.module.css";
import { importShare } from "./import-progress.ts";
import type { Imports } from "./use-imports.ts";

type Props = {
  imports: Imports;
  covered: boolean;
  onShow: (id: number) => void;
};

export function RunningImports({ imports, covered, onShow }: Props) {
  const { running, noteRead } = imports;
  const ended = covered ? [] : imports.ended;
  useRefreshWhenDone(running.length);
  if (running.length === 0 && ended.length === 0) return null;
  return (
    <div className={clsx(layoutStyles.stack2, layoutStyles.below5)}>
      {running.map((each) => (
        <Notice key={each.id} tone="info">
          {t.banner(each.listName, formatShare(importShare(each)))}{" "}
          <button type="button" className={textLinkStyles.link} onClick={() => onShow(each.id)}>
            {t.show}
          </button>
        </Notice>
      ))}
      {ended.map((each) => (
        <Notice
          key={each.id}
          tone={each.imported === 0 ? "danger" : each.refused > 0 ? "warning" : "success"}
        >
          <span role="status">{cameOf(each)}</span>{" "}
          <button type="button" className={textLinkStyles.link} onClick={() => onShow(each.id)}>
            {t.report}
          </button>
          <button
            type="button"
            className={clsx(textLinkStyles.link, styles.apart)}
            onClick={(event) => {
              restoreFocus(event)();
              noteRead(each.id);
            }}
          >
            {commonText.close}
          </button>
        </Notice>
      ))}
    </div>
  );
}

function cameOf({ listName, fault, imported, refused }: ContactImport): string {
  if (fault) return t.notImported(listName, fault.error);
  return imported === 0 ? t.noneImported(listName, refused) : t.done(listName, imported, refused);
}

function useRefreshWhenDone(running: number) {
  const queries = useQueryClient();
  const before = useRef(running);
  useEffect(() => {
    if (running < before.current) void queries.invalidateQueries({ queryKey: ["contacts"] });
    before.current = running;
  }, [running, queries]);
}
