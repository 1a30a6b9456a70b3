/** The demo on the card of the landing page. Apart from the other demos, because few pages load this module. */

/** The demo that anybody can pay, also without a login. */
export const OPEN_DEMO = 'demo-alex-bartender';

/** The path of the picture of its code. */
export const OPEN_DEMO_PICTURE = '/demo-code.svg';

/** Whether a code, as somebody typed it, stands for the open demo. */
export function isOpenDemo(text: string): boolean {
  return text.trim().toLowerCase() === OPEN_DEMO;
}
