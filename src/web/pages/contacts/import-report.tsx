import { clsx } from "clsx";
import type { ContactImport, ContactImportReport } from "../../../contract/contacts.ts";
import { address } from "../../api/call.ts";
import { commonText } from "../../messages/common.ts";
import { formatNumber, formatShare } from "../../messages/format.ts";
import { importText as t } from "../../messages/import.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import fieldStyles from "../../ui/field.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { ProgressBar, UnknownProgress } from "../../ui/progress-bar.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import textLinkStyles from "../../ui/text-link.module.css";
import { FileLink } from "../../ui/text-link.tsx";
import styles from "./contacts.module.css";
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
      <div className={layoutStyles.stack2}>
        <div className={styles.ends} data-ui="num">
          <strong>{t.busy}</strong>
          {share !== null && <strong>{formatShare(share)}</strong>}
        </div>
        {share === null ? (
          <UnknownProgress label={t.progress} />
        ) : (
          <ProgressBar label={t.progress} parts={[{ share }]} />
        )}
        <p className={fieldStyles.hint} data-ui="hint num">
          {progress ? t.running(progress.rowsRead) : " "}
        </p>
      </div>
      <p className={fieldStyles.hint} data-ui="hint">
        {t.runningHint}
      </p>
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
      <div className={clsx(layoutStyles.frame, styles.report)} data-ui="report">
        <Sums report={report} />
        {report.refusedRows.length > 0 && <RefusedRows report={report} />}
      </div>
      {report.refused > report.refusedRows.length && (
        <p className={fieldStyles.hint} data-ui="hint num">
          {report.refusedRows.length > 0
            ? t.firstRows(report.refusedRows.length, report.refused)
            : t.rowsGone}
        </p>
      )}
      {report.leftOut && <LeftOut leftOut={report.leftOut} />}
      {report.erased > 0 && <Notice tone="info">{t.erased(report.erased)}</Notice>}
      {report.ninthAdded > 0 && <NinthDigit report={report} />}
      {report.refusedRows.length > 0 && (
        <p className={fieldStyles.hint} data-ui="hint">
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
    <dl className={styles.sum}>
      <div className={styles.figure}>
        <dt>{t.imported(report.imported)}</dt>
        <dd>{formatNumber(report.imported)}</dd>
      </div>
      <div className={styles.figure}>
        <dt>{t.repeated(report.repeated)}</dt>
        <dd>{formatNumber(report.repeated)}</dd>
      </div>
      <div className={clsx(styles.figure, report.refused > 0 && styles.bad)}>
        <dt>{t.refused(report.refused)}</dt>
        <dd>{formatNumber(report.refused)}</dd>
      </div>
    </dl>
  );
}

function RefusedRows({ report }: { report: ContactImportReport }) {
  return (
    <ScrollRegion className={styles.rows} label={t.refusedTable}>
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
                <div data-ui="num">{row.value || t.emptyValue}</div>
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
  const { columns, blankRows, furtherPhones, unread } = leftOut;
  const said = [
    columns.length > 0 ? t.unusedColumns(columns.length, columns.join(", ")) : null,
    furtherPhones > 0 ? t.furtherPhones(furtherPhones) : null,
    blankRows > 0 ? t.blankRows(blankRows) : null,
    ...unread.map((each) => t.unread(each.column, each.count, each.text, each.row)),
  ].filter((each) => each !== null);
  if (said.length === 0) return null;
  return (
    <div className={fieldStyles.hint} data-ui="hint">
      <b className={layoutStyles.medium}>{t.leftOut}</b>
      <ul data-ui="num">
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
        <details className={layoutStyles.top1}>
          <summary className={clsx(textLinkStyles.link, layoutStyles.fits)}>{t.ninthRows}</summary>
          <ul className={styles.outRows} data-ui="num">
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
