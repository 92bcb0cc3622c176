import type { ContactImport, ContactImportReport } from "../../../contract/contacts.ts";
import { address } from "../../api/call.ts";
import { commonText } from "../../messages/common.ts";
import { formatNumber, formatShare } from "../../messages/format.ts";
import { importText as t } from "../../messages/import.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/notice.tsx";
import { ProgressBar, UnknownProgress } from "../../ui/progress-bar.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { FileLink } from "../../ui/text-link.tsx";
import { importShare } from "./import-progress.ts";

export function ImportRunning({
  progress,
  onClose,
}: {
  progress: ContactImport | undefined;
  onClose: () => void;
}) {
  const share = progress ? importShare(progress) : null;
  return (
    <Dialog
      title={t.title}
      context={progress?.listName ?? t.context}
      size="mid"
      onClose={onClose}
      foot={<Button onClick={onClose}>{commonText.close}</Button>}
    >
      <div className="grid gap-2">
        <div className="num flex justify-between gap-3 text-sm">
          <b>{t.busy}</b>
          {share !== null && <b>{formatShare(share)}</b>}
        </div>
        {share === null ? (
          <UnknownProgress label={t.progress} />
        ) : (
          <ProgressBar label={t.progress} parts={[{ share }]} />
        )}
        <p className="hint num">{progress ? t.running(progress.rowsRead) : " "}</p>
      </div>
      <p className="hint">{t.runningHint}</p>
    </Dialog>
  );
}

type Props = { report: ContactImportReport; onAnother: () => void; onClose: () => void };

export function ImportReport({ report, onAnother, onClose }: Props) {
  return (
    <Dialog
      title={t.doneTitle}
      context={t.doneContext(report.listName, report.rowsRead)}
      size="mid"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onAnother}>{t.another}</Button>
          <Button look="primary" onClick={onClose}>
            {t.close}
          </Button>
        </>
      }
    >
      {report.warnings.map((warning) => (
        <Notice key={warning.code} tone="warning">
          {warning.text}
        </Notice>
      ))}
      <div className="report">
        <Sums report={report} />
        {report.refusedRows.length > 0 && <RefusedRows report={report} />}
      </div>
      {report.refused > report.refusedRows.length && (
        <p className="hint num">
          {report.refusedRows.length > 0
            ? t.firstRows(report.refusedRows.length, report.refused)
            : t.rowsGone}
        </p>
      )}
      {report.leftOut && <LeftOut leftOut={report.leftOut} />}
      {report.ninthAdded > 0 && <NinthDigit report={report} />}
      {report.refusedRows.length > 0 && (
        <p className="hint">
          <FileLink
            download
            href={address("/api/contact-imports/{id}/refused.csv", { params: { id: report.id } })}
          >
            {t.refusedFile}
          </FileLink>
        </p>
      )}
    </Dialog>
  );
}

function Sums({ report }: { report: ContactImportReport }) {
  return (
    <dl className="sum">
      <div className="flex flex-col-reverse">
        <dt>{t.imported(report.imported)}</dt>
        <dd>{formatNumber(report.imported)}</dd>
      </div>
      <div className="flex flex-col-reverse">
        <dt>{t.repeated(report.repeated)}</dt>
        <dd>{formatNumber(report.repeated)}</dd>
      </div>
      <div className={report.refused > 0 ? "flex flex-col-reverse bad" : "flex flex-col-reverse"}>
        <dt>{t.refused(report.refused)}</dt>
        <dd>{formatNumber(report.refused)}</dd>
      </div>
    </dl>
  );
}

function RefusedRows({ report }: { report: ContactImportReport }) {
  return (
    <ScrollRegion className="rows" label={t.refusedTable}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.row}</th>
            <th scope="col">{t.person}</th>
            <th scope="col">{t.reason}</th>
          </tr>
        </thead>
        <tbody>
          {report.refusedRows.map((row) => (
            <tr key={row.row}>
              <td>{formatNumber(row.row)}</td>
              <td>
                {row.name && <div>{row.name}</div>}
                <div className="num">{row.value || t.emptyValue}</div>
              </td>
              <td>{row.reason.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function LeftOut({ leftOut }: { leftOut: NonNullable<ContactImportReport["leftOut"]> }) {
  const { columns, blankRows, furtherPhones } = leftOut;
  const said = [
    columns.length > 0 ? t.unusedColumns(columns.length, columns.join(", ")) : null,
    furtherPhones > 0 ? t.furtherPhones(furtherPhones) : null,
    blankRows > 0 ? t.blankRows(blankRows) : null,
  ].filter((each) => each !== null);
  if (said.length === 0) return null;
  return (
    <div className="hint">
      <b className="font-medium">{t.leftOut}</b>
      <ul className="num left-out">
        {said.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </div>
  );
}

function NinthDigit({ report }: { report: ContactImportReport }) {
  return (
    <Notice tone="info">
      {t.ninth(report.ninthAdded)}
      {report.ninthAddedRows.length > 0 && (
        <details className="mt-1">
          <summary className="link w-fit">{t.ninthRows}</summary>
          <ul className="num mt-2 max-h-40 overflow-auto">
            {report.ninthAddedRows.map((row) => (
              <li key={row.row}>
                {t.row} {formatNumber(row.row)}: {row.name} {row.value}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Notice>
  );
}
