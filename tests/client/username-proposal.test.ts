/** The username that is proposed from a full name. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fourDigits, proposeUsername } from '#client/auth/proposed-username.ts';
import { isPossibleUsername } from '#shared/later/reserved-usernames.ts';
import { MAX_USERNAME_LENGTH } from '#shared/usernames.ts';

const LONG_WORD = 'x'.repeat(MAX_USERNAME_LENGTH + 1);

/** Names of words that people have and of words that nobody may have, in any script and with any marks. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        'Marcus',
        'Zoë',
        'O’Malley',
        'Øystein',
        'al',
        'admin',
        'tips',
        'Tip',
        'wells',
        LONG_WORD,
      ),
      { maxLength: 8 },
    )
    .map((words) => words.join(' ')),
);

describe('a proposed username', () => {
  it('is one that somebody could have, or none', () => {
    fc.assert(
      fc.property(anyName, fc.option(fc.nat(), { nil: null }), (name, random) => {
        const username = proposeUsername(name, random === null ? '' : fourDigits(random));
        expect(username === '' || isPossibleUsername(username), username).toBe(true);
        expect(username).toMatch(/^(?:[a-z0-9]+(?:\.[a-z0-9]+)*)?$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['Marcus Reed', 'marcus.reed'],
    ['  Marcus   J. Reed, Jr. ', 'marcus.j.reed.jr'],
    ['Zoë Müller-Lüdenscheidt', 'zoe.muller.ludenscheidt'],
    ['Sean O’Malley', 'sean.omalley'],
    ['Jürgen Weiß', 'jurgen.weiss'],
    ['Søren Kierkegård', 'soren.kierkegard'],
    ['Łukasz Wałęsa', 'lukasz.walesa'],
    ['Ægir Þórðarson', 'aegir.thordarson'],
    ['İpek Yılmaz', 'ipek.yilmaz'],
    ['Nguyễn Văn Đức', 'nguyen.van.duc'],
    ['DJ ３０００', 'dj.3000'],
    ['Иван Ivan', 'ivan'],
  ])('for %j is %j', (name, username) => {
    expect(proposeUsername(name)).toBe(username);
  });

  it.each([
    '',
    '   ',
    'Иван',
    '小林',
    '🍸',
    'Al',
    'Admin',
    'Team',
    'Tip Well',
    'Pat Support',
  ])('for %j is none', (name) => {
    expect(proposeUsername(name)).toBe('');
  });

  it('leaves out the last words of a name that is too long, and cuts a word only where it has to', () => {
    expect(proposeUsername('María José Fernández de Córdoba')).toBe('maria.jose.fernandez.de');
    expect(proposeUsername('María José Fernández de Cádiz')).toBe('maria.jose.fernandez.de.cadiz');
    expect(proposeUsername('María José Fernández de Cádiz', '0042')).toBe('maria.jose.fernandez.de0042');
    expect(proposeUsername(LONG_WORD)).toBe('x'.repeat(MAX_USERNAME_LENGTH));
  });

  it('ends in four digits where somebody else has the plain one', () => {
    expect(proposeUsername('Marcus Reed', fourDigits(42))).toBe('marcus.reed0042');
    expect(fourDigits(4_294_967_295)).toBe('7295');
    expect(proposeUsername('Иван', fourDigits(42))).toBe('');
  });
});
