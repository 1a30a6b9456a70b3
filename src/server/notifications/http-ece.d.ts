/** The part of the package http_ece (RFC 8188) that the server and tests use; it brings no types. */
declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Keys {
    readonly version: 'aes128gcm';
    readonly privateKey: ECDH;
    /** In base64url, or as it is. */
    readonly authSecret: string | Buffer;
  }

  /** @param parameters `dh` is the public key of the reader. The salt is random. */
  export function encrypt(content: Buffer, parameters: Keys & { readonly dh: Buffer }): Buffer;
  export function decrypt(body: Buffer, parameters: Keys): Buffer;
}
