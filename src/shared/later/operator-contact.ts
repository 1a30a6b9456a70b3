/** The contact of whoever runs the site, which people see when they need help. */

export interface OperatorContact {
  readonly text: string;
  readonly href: string;
}

const MAX_LENGTH = 200;
const EMAIL = /^[^\s@<>"&?%:/]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;
const PHONE = /^\+?[0-9][0-9 ()./-]{3,30}[0-9]$/;

/** @returns null for anything but an email address, a phone number or an https URL. */
export function readOperatorContact(setting: string): OperatorContact | null {
  const text = setting.trim();
  if (text.length > MAX_LENGTH) return null;
  if (EMAIL.test(text)) return { text, href: `mailto:${text}` };
  if (PHONE.test(text)) return { text, href: `tel:${text.replace(/[^+0-9]/g, '')}` };
  if (!/^https:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  if (username !== '' || password !== '') return null;
  return { text: href.replace(/^https:\/\/|\/$/g, ''), href };
}
