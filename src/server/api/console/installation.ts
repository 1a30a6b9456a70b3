/** The part of the console about terms, brand, registration, invitations and the announcement. */
import { makeAnnouncement } from '#server/announcements.ts';
import type { Invitation } from '#server/storage/port/invitations.ts';
import { isoTime } from '#shared/calendar.ts';
import {
  askedAnnouncement,
  askedInvitation,
  endedAnnouncement,
  type OpenInvitation,
  type PresentAnnouncement,
  revokedInvitation,
} from '#shared/console/installation.ts';
import { invitationUrl } from '#shared/invitations.ts';
import { actProcedure, notedProcedure, operatorProcedure } from './console-trpc.ts';
import { termsProcedures } from './terms.ts';

export const installationProcedures = {
  ...termsProcedures,

  settings: operatorProcedure.query(({ ctx }) => ctx.services.settings),

  invitations: operatorProcedure.query(
    async ({ ctx }): Promise<OpenInvitation[]> => (await ctx.services.invitations.list()).map(invitationOf),
  ),

  /** Answers the link this once. */
  invite: notedProcedure.input(askedInvitation).mutation(async ({ ctx, input }) => {
    const { invitations, settings } = ctx.services;
    const { token, ...made } = await invitations.invite(input, ctx.acts('invitation_made'));
    return { ...invitationOf(made), link: invitationUrl(settings.publicUrl, { token, email: input.email }) };
  }),

  /** Answers false for one that was spent, has expired or was revoked before. */
  revokeInvitation: actProcedure
    .input(revokedInvitation)
    .mutation(({ ctx, input: { id } }) =>
      ctx.services.invitations.revoke(id, ctx.acts('invitation_revoked')(id)),
    ),

  announcement: operatorProcedure.query(async ({ ctx }): Promise<PresentAnnouncement | null> => {
    const { storage, clock } = ctx.services;
    const found = await storage.findAnnouncement();
    if (!found) return null;
    const { text, fromMs, untilMs } = found;
    const nowMs = clock();
    const isOver = untilMs !== null && untilMs <= nowMs;
    return {
      text,
      from: isoTime(fromMs),
      until: isoTime(untilMs),
      state: fromMs > nowMs ? 'to_come' : isOver ? 'past' : 'now',
    };
  }),

  announce: notedProcedure
    .input(askedAnnouncement)
    .mutation(({ ctx, input: { text, from, until, seen } }) => {
      const { storage, clock } = ctx.services;
      const asked = { text, fromMs: timeOf(from), untilMs: timeOf(until) };
      return makeAnnouncement(storage, asked, clock(), ctx.act('announcement_made'), seen && seenOf(seen));
    }),

  /** Answers false for one that was ended or replaced meanwhile. */
  endAnnouncement: actProcedure.input(endedAnnouncement).mutation(({ ctx, input: { seen } }) => {
    const { storage } = ctx.services;
    return storage.endAnnouncement(ctx.act('announcement_ended'), seen && seenOf(seen));
  }),
};

const seenOf = ({ text, from }: { readonly text: string; readonly from: string }) => ({
  text,
  fromMs: Date.parse(from),
});

const timeOf = (iso: string | undefined) => (iso === undefined ? undefined : Date.parse(iso));

function invitationOf({ id, emailKey, maxUses, usesLeft, expiresAtMs }: Invitation): OpenInvitation {
  return { id, email: emailKey, maxUses, usesLeft, expiresAt: isoTime(expiresAtMs) };
}
