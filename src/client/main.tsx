/** Puts the client into the page. */
import './ui/tokens.css';
import './ui/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no place for the client');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
