/** The router of the client reads addresses as the server does: as they are spelled. */
import { createElement, Fragment } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Router, useLocation, useSearch } from 'wouter';
import { exactAddresses } from '#client/start/frame/exact-addresses.ts';
import { screenAt } from '#client/start/routes.tsx';

function drawAt(pathname: string, search: string, screen: () => ReturnType<typeof createElement>): string {
  const options = {
    ...exactAddresses,
    ssrPath: pathname,
    ssrSearch: search,
    children: createElement(screen),
  };
  return renderToStaticMarkup(createElement(Router, options));
}

describe('the router', () => {
  it.each([
    ['/tip/%2525', '?next=%2Ftip%2F%2525'],
    ['/tip/demo-alex%252Dbartender', '?userId=100%25&service=%2525'],
    ['/tip/%E2%80%8B', ''],
    ['/tip/%zz', '?%'],
  ])('hands %s%s on without decoding it', (pathname, search) => {
    const Address = () => createElement(Fragment, null, useLocation()[0], ' ', useSearch());
    const [path, query] = drawAt(pathname, search, Address).replaceAll('&amp;', '&').split(' ');
    expect([path, query]).toEqual([pathname, search.slice(1)]);
  });

  const nowhere = screenAt('/nowhere').type;

  it.each(['/', '/auth', '/dashboard', '/scan', '/tip/x', '/tip/x/'])('finds a screen at %s', (pathname) => {
    expect(screenAt(pathname).type).not.toBe(nowhere);
  });

  it.each([
    '/SCAN',
    '/scan/',
    '/sc%61n',
    '/scan/x',
    '/x/scan',
    '/tip',
    '/tip/x/y',
  ])('finds no screen at %s', (pathname) => {
    expect(screenAt(pathname).type).toBe(nowhere);
  });
});
