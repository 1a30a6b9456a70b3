/** The demo on the landing page's card. Apart from other demos, because few pages load this module. */

/** Anybody can pay it, also without a login. */
export const OPEN_DEMO = 'demo-alex-bartender';

export const OPEN_DEMO_PICTURE = '/demo-code.svg';

export function isOpenDemo(text: string): boolean {
  return text.trim().toLowerCase() === OPEN_DEMO;
}
