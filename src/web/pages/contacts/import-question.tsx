import { CircleQuestionMark } from "lucide-react";
import type { ImportDraft } from "../../../contract/import-drafts.ts";
import { columnName } from "../../../domain/column-name.ts";
import { importText as t } from "../../messages/import.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RadioCards } from "../../ui/radio-cards.tsx";
import styles from "./import.module.css";
import { greeting } from "./import-preview.tsx";
import type { Question, useImportColumns } from "./use-import-columns.ts";

type Props = { question: Question; it: ReturnType<typeof useImportColumns> };

export function ImportQuestion({ question, it }: Props) {
  const { code, text } = question;
  if (text !== null)
    return (
      <div data-question tabIndex={-1}>
        <SmallError title={text} text={t.chooseBelow} />
      </div>
    );
  const words =
    code === "several_phones" ? t.asks.phones : code === "unsure_header" ? t.asks.header : t.asks.names;
  return (
    <section className={styles.ask} data-question aria-label={words.title}>
      <h3>
        <Icon of={CircleQuestionMark} />
        {words.title}
      </h3>
      <p>{words.text}</p>
      {code === "unsure_header" ? <HeaderChoice it={it} /> : <ColumnChoice question={question} it={it} />}
    </section>
  );
}

function ColumnChoice({ question, it }: Props) {
  const { code, columns } = question;
  const choices = columns.map((at) => ({
    value: String(at),
    name: nameOf(it.draft, at),
    explained: explained(it.draft, at, code === "several_names"),
  }));
  const all = { value: "all", name: t.asks.phones.all, explained: t.asks.phones.allMeans };
  return (
    <RadioCards
      legend={code === "several_phones" ? t.asks.phones.title : t.asks.names.title}
      hiddenLegend
      choices={code === "several_phones" ? [...choices, all] : choices}
      value=""
      onChange={(chosen) => it.decide(question, chosen === "all" ? "all" : Number(chosen))}
    />
  );
}

function HeaderChoice({ it }: Pick<Props, "it">) {
  const row = it.draft.rows[0]?.row ?? 1;
  return (
    <RadioCards
      legend={t.asks.header.title}
      hiddenLegend
      choices={[
        { value: "header", name: t.asks.header.is(row), explained: t.asks.header.isMeans },
        { value: "person", name: t.asks.header.isNot(row), explained: t.asks.header.isNotMeans },
      ]}
      value=""
      onChange={(chosen) =>
        chosen === "header" ? it.reread({ headerRow: row }) : it.settle("unsure_header")
      }
    />
  );
}

export const nameOf = ({ columns }: ImportDraft, at: number) =>
  columns[at]?.header.trim() || t.column(columnName(at));

function explained({ columns }: ImportDraft, at: number, isName: boolean): string {
  const samples = columns[at]?.samples ?? [];
  const shown = samples.join(", ");
  return isName && samples[0] ? `${shown}. ${t.greets(greeting(samples[0]))}` : shown;
}
