/** The part of the console about messages that were reported. */
import type { MessageReport, ReportedPerson } from '#server/storage/port/messages.ts';
import { isoTime } from '#shared/calendar.ts';
import {
  askedReports,
  REPORTS_PER_PAGE,
  type ReportedMessage,
  type ReportPage,
  settledReport,
} from '#shared/console/reports.ts';
import { notedProcedure, operatorProcedure } from './console-trpc.ts';

export const reportProcedures = {
  list: operatorProcedure.input(askedReports).query(async ({ ctx, input }): Promise<ReportPage> => {
    const { messages } = ctx.services.storage;
    const isOpen = input.state === 'open';
    // One more than is shown says whether there is another page.
    const found = await messages[isOpen ? 'listReports' : 'listSettledReports'](
      REPORTS_PER_PAGE + 1,
      input.cursor ?? undefined,
    );
    const shown = found.slice(0, REPORTS_PER_PAGE);
    const last = found.length > shown.length ? shown.at(-1) : undefined;
    return {
      reports: shown.map(viewOf),
      next: last ? { atMs: last.settledAtMs ?? last.reportedAtMs, transactionId: last.transactionId } : null,
    };
  }),

  /** Answers false where somebody else has settled it meanwhile. */
  settle: notedProcedure
    .input(settledReport)
    .mutation(({ ctx, input: { transactionId } }) =>
      ctx.services.storage.messages.settleReport(
        transactionId,
        ctx.services.clock(),
        ctx.acts('report_settled')(transactionId),
      ),
    ),
};

function viewOf({
  transactionId,
  reportedAtMs,
  settledAtMs,
  message,
  giverName,
  giver,
  receiver,
}: MessageReport): ReportedMessage {
  return {
    transactionId,
    reportedAt: isoTime(reportedAtMs),
    settledAt: isoTime(settledAtMs),
    message,
    giverName,
    giver: giver && personOf(giver),
    receiver: personOf(receiver),
  };
}

const personOf = ({ id, username, isClosed }: ReportedPerson) => ({
  id,
  username: isClosed ? null : username,
});
