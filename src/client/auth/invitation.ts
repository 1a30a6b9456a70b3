import { useState, useSyncExternalStore } from 'react';
import { type InvitationLink, invitationIn } from '#shared/invitations.ts';

/**
 * The invitation of the link by which somebody came; null without one. It is kept while the screen is, because
 * the address of the login has none. The page that the server renders knows of no invitation.
 */
export function useInvitation(): InvitationLink | null {
  const found = invitationIn(useSyncExternalStore(subscribe, fragment, () => ''));
  const [kept, setKept] = useState<InvitationLink | null>(null);
  if (found !== null && found.token !== kept?.token) setKept(found);
  return found ?? kept;
}

const fragment = () => window.location.hash;

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
