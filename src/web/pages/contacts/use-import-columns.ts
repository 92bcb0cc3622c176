import { useRef, useState } from "react";
import type { ColumnMapping, ImportDraft } from "../../../contract/import-drafts.ts";
import { api } from "../../api/call.ts";

export type Reading = Partial<Pick<ImportDraft, "encoding" | "separator" | "headerRow">>;
export type Question = ImportDraft["questions"][number];

type Body = Reading & { columns?: ColumnMapping[] };

/** The newest answer counts. */
function useReading(first: ImportDraft, onAnswer: (answer: ImportDraft, asked: Body) => void) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const turn = useRef(0);
  const read = async (body: Body) => {
    const mine = ++turn.current;
    setBusy(true);
    setError(null);
    try {
      const answer = await api("POST /api/contact-import-drafts/{id}/read", {
        params: { id: first.id },
        body,
      });
      if (mine === turn.current) onAnswer(answer, body);
    } catch (thrown) {
      if (mine === turn.current) setError(thrown);
    } finally {
      if (mine === turn.current) setBusy(false);
    }
  };
  return { read, error, busy };
}

export function useImportColumns(first: ImportDraft) {
  const [draft, setDraft] = useState(first);
  const [asked, setAsked] = useState(first.questions);
  const [settled, setSettled] = useState<readonly string[]>([]);
  const [reading, setReading] = useState<Reading>({});
  const [isOwn, setOwn] = useState(false);
  const { read, error, busy } = useReading(first, (answer, { columns }) => {
    setDraft(answer);
    if (!columns) setAsked(answer.questions);
  });
  const choose = (columns: ColumnMapping[], touched: readonly number[]) => {
    setOwn(true);
    // Shown at once; names and rows follow with the answer.
    setDraft((now) => ({
      ...now,
      columns: now.columns.map((each, at) => ({ ...each, ...mappingAt(columns, at) })),
    }));
    const answers = ({ columns: of }: Question) => of.length === 0 || of.some((at) => touched.includes(at));
    setSettled((now) => [...now, ...asked.filter(answers).map(({ code }) => code)]);
    void read({ ...reading, columns });
  };
  return {
    draft,
    error,
    busy,
    isOwn,
    open: questionsLeft({ asked, settled, draft, isOwn }),
    reread(changes: Reading) {
      const next = { ...reading, ...changes };
      setReading(next);
      setOwn(false);
      setSettled([]);
      void read(next);
    },
    retry: () =>
      void read({ ...reading, ...(isOwn ? { columns: draft.columns.map(({ mapping }) => mapping) } : {}) }),
    settle: (code: string) => setSettled((now) => [...now, code]),
    change(at: number, mapping: ColumnMapping) {
      choose(changed(draft, at, mapping), [at]);
    },
    /** One of several columns, or all of them in their order. */
    decide({ code, columns }: Question, chosen: number | "all") {
      const role = code === "several_names" ? "name" : "phone";
      const next = draft.columns.map(({ mapping }, at): ColumnMapping => {
        if (!columns.includes(at)) return mapping;
        if (chosen !== "all" && chosen !== at) return { role: "ignore" };
        return role === "name" ? { role } : { role, rank: columns.indexOf(at) + 1 };
      });
      choose(next, columns);
    },
  };
}

const mappingAt = (columns: readonly ColumnMapping[], at: number) => {
  const mapping = columns[at];
  return mapping ? { mapping, sure: true } : {};
};

type Asked = { asked: Question[]; settled: readonly string[]; draft: ImportDraft; isOwn: boolean };

function questionsLeft({ asked, settled, draft, isOwn }: Asked): Question[] {
  const left = asked.filter(({ code }) => !settled.includes(code));
  return isOwn
    ? [...left, ...draft.questions.filter(({ code }) => left.every((each) => each.code !== code))]
    : left;
}

/** A person has one name column; several phones are tried in turn. */
function changed({ columns }: ImportDraft, at: number, mapping: ColumnMapping): ColumnMapping[] {
  const ranks = columns.flatMap(({ mapping: each }) => (each.role === "phone" ? [each.rank] : []));
  const chosen = mapping.role === "phone" ? { ...mapping, rank: Math.max(0, ...ranks) + 1 } : mapping;
  return columns.map(({ mapping: each }, other): ColumnMapping => {
    if (other === at) return chosen;
    return mapping.role === "name" && each.role === "name" ? { role: "ignore" } : each;
  });
}
