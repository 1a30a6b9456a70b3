/** The forms that texts of settings must have. */
import { isIP } from 'node:net';

export function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, hostname, pathname, username, password } = new URL(text);
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  const isComplete = (username === '') === (password === '');
  return /^smtps?:$/.test(protocol) && hostname !== '' && /^\/?$/.test(pathname) && isComplete;
}

export function isLoopbackUrl(text: string): boolean {
  return isOrigin(text) && isLoopback(new URL(text).hostname.replace(/^\[|\]$/g, ''));
}

export function isPublicUrl(text: string): boolean {
  // A bare ? or # vanishes when parsed, but not from an address that is built on the text.
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*');
}

export function isPushHost(text: string): boolean {
  return (
    isLoopbackHost(text) || /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/.test(text)
  );
}

export function isLoopbackHost(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host);
}

export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
