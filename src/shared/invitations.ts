/** An invitation's link. Its token stands in the fragment, which browsers send to no server, so that no log has it. */
import { PAGE_PATHS } from './page-paths.ts';

/** The parameter that has the server render the form, because it never sees the fragment. */
const INVITED = 'invited';
/** Checked, so that a made-up link cannot put other words on the page. */
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,253}$/;

export const MAX_INVITATION_USES = 1_000;
export const MAX_INVITATION_DAYS = 365;

export interface InvitationLink {
  readonly token: string;
  /** Whose email alone it is for; null for anybody. */
  readonly email: string | null;
}

/** @param publicUrl without a trailing slash. */
export function invitationUrl(publicUrl: string, link: InvitationLink): string {
  return withInvitation(`${publicUrl}${PAGE_PATHS.auth}?tab=sign-up`, link);
}

export function withInvitation(signUpAddress: string, { token, email }: InvitationLink): string {
  const fragment = new URLSearchParams({ invite: token, ...(email !== null && { for: email }) });
  return `${asInvited(signUpAddress)}#${fragment}`;
}

export function isInvited(search: string): boolean {
  return new URLSearchParams(search).has(INVITED);
}

export function asInvited(signUpAddress: string): string {
  return `${signUpAddress}&${INVITED}`;
}

/** @param fragment with its sign. @returns null without an invitation. */
export function invitationIn(fragment: string): InvitationLink | null {
  const told = new URLSearchParams(fragment.slice(1));
  const token = told.get('invite');
  const email = told.get('for');
  return token ? { token, email: email !== null && EMAIL.test(email) ? email : null } : null;
}
