/** The part of the package qrcode that encodes has no types of its own. */
declare module 'qrcode/lib/core/qrcode.js' {
  export { create } from 'qrcode';
}
