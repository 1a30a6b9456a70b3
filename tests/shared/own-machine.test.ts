/** An address that only the computer which opens it can reach is told from one that others reach. */
import { describe, expect, it } from 'vitest';
import { isOwnMachine } from '#shared/own-machine.ts';

describe('an address', () => {
  it.each([
    'http://localhost',
    'http://localhost:3000/tip/K7Q2M9XW4T',
    'HTTPS://LocalHost:8443',
    'http://localhost./tips',
    'http://tips.localhost:3000',
    'http://a.b.localhost',
    'http://127.0.0.1:3000',
    'http://127.0.0.1.',
    'http://127.255.255.254',
    'http://127.1',
    'http://0x7f000001',
    'http://2130706433',
    'http://0.0.0.0:3000',
    'http://0',
    'http://[::1]:3000',
    'http://[0:0:0:0:0:0:0:1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://pat:secret@localhost',
  ])('%s is reached by one computer only', (url) => {
    expect(isOwnMachine(url)).toBe(true);
  });

  it.each([
    'https://tips.example.com',
    'http://192.168.1.7:3000',
    'http://10.0.0.1',
    'http://172.16.0.1',
    'http://169.254.1.1',
    'http://[fe80::1]',
    'http://[fd00::1]',
    'http://[::2]',
    'http://[::ffff:192.168.1.7]',
    'http://128.0.0.1',
    'http://12.7.0.1',
    'http://1.127.0.0',
    'http://0.0.0.1',
    'http://tips.local',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://notlocalhost',
    'http://my-localhost',
    'https://example.com/localhost',
    'https://example.com/?http://localhost',
    'https://localhost@example.com',
    'https://tips.localhosts',
  ])('%s is reached by others', (url) => {
    expect(isOwnMachine(url)).toBe(false);
  });

  it.each(['', 'localhost', '127.0.0.1:3000', 'http://', 'not an address'])('%j is none', (text) => {
    expect(isOwnMachine(text)).toBe(false);
  });
});
