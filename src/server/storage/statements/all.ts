/** All statements of the running server but PostgreSQL's set-wise ones, and their prepared form. */
import type { Step } from '../steps/step.ts';
import { accountStatements } from './accounts.ts';
import { adjustmentStatements } from './adjustments.ts';
import { announcementStatements } from './announcements.ts';
import { apiKeyStatements } from './api-keys.ts';
import { auditStatements } from './audit.ts';
import { bookStatements } from './books.ts';
import type { Builder, Preparable, Typed } from './builder.ts';
import { checkStatements } from './checks.ts';
import { codeStatements } from './codes.ts';
import { deviceStatements } from './devices.ts';
import { earningsStatements } from './earnings.ts';
import { eventStatements } from './events.ts';
import { factorStatements } from './factors.ts';
import { invitationStatements } from './invitations.ts';
import { mailStatements } from './mails.ts';
import { messageStatements } from './messages.ts';
import { operationStatements } from './operations.ts';
import { operatorStatements } from './operators.ts';
import { outboxStatements } from './outboxes.ts';
import { paymentSignStatements } from './payment-signs.ts';
import { paymentStatements } from './payments.ts';
import { peopleStatements } from './people.ts';
import { sessionStatements } from './sessions.ts';
import { termsStatements } from './terms.ts';
import { tipListingStatements } from './tip-listings.ts';
import { tipStatements } from './tips.ts';
import { webhookStatements } from './webhooks.ts';

export function buildStatements(builder: Builder) {
  return {
    ...accountStatements(builder),
    ...sessionStatements(builder),
    ...codeStatements(builder),
    ...tipStatements(builder),
    ...tipListingStatements(builder),
    ...earningsStatements(builder),
    ...bookStatements(builder),
    ...paymentStatements(builder),
    ...adjustmentStatements(builder),
    ...paymentSignStatements(builder),
    ...messageStatements(builder),
    ...deviceStatements(builder),
    ...mailStatements(builder),
    ...invitationStatements(builder),
    ...termsStatements(builder),
    ...announcementStatements(builder),
    ...outboxStatements(builder),
    ...checkStatements(builder),
    ...eventStatements(builder),
    ...apiKeyStatements(builder),
    ...webhookStatements(builder),
    ...auditStatements(builder),
    ...peopleStatements(builder),
    ...operationStatements(builder),
    ...operatorStatements(builder),
    ...factorStatements(builder),
  };
}

type Built = ReturnType<typeof buildStatements>;

export type Values = Readonly<Record<string, unknown>>;

/** A prepared statement. Its values are passed by the names of its placeholders. */
export interface PreparedStatement<In extends object, Row> {
  all(values: In): Step<Row[]>;
  one(values: In): Step<Row | undefined>;
  /** @returns the number of inserted, updated or deleted rows. */
  change(values: In): Step<number>;
}

type RowOf<Query> =
  Query extends Preparable<infer Result> ? (Result extends readonly (infer Row)[] ? Row : never) : never;

export type Statements = {
  readonly [Name in keyof Built]: NonNullable<Built[Name]> extends Typed<
    infer Query,
    infer Row extends object
  >
    ? PreparedStatement<Row, RowOf<Query>>
    : PreparedStatement<Values, RowOf<NonNullable<Built[Name]>>>;
};
