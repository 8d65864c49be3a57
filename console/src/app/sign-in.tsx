import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery, signIn } from '../api/session.ts';
import icon from '../styles/icon.svg';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/feedback.tsx';
import '../styles/sign-in.css';

/** Exchanges an API key for a session. The key stays in no storage of the browser. */
export function SignIn() {
  const client = useQueryClient();
  const [key, setKey] = useState('');
  const entering = useMutation({
    mutationFn: signIn,
    onSuccess: (session) => client.setQueryData(sessionQuery.queryKey, session),
  });
  return (
    <main className="sign-in">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          entering.mutate(key.trim());
        }}
      >
        <img src={icon} alt="" width={40} height={40} />
        <div>
          <h1>Sign in to Millrace</h1>
          <p className="muted">With an API key. Your pages and rights are those of the key.</p>
        </div>
        <label className="field">
          API key
          <input
            className="input mono"
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            autoFocus
            placeholder="mk_…"
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
        </label>
        {entering.error && <ErrorNotice error={entering.error} />}
        <Button type="submit" variant="primary" disabled={key.trim() === '' || entering.isPending}>
          {entering.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
        <p className="muted small">
          <code>npm start</code> stores the first key in <code>.millrace/keys/auth/first.key</code>. Create others with{' '}
          <code>millrace api-keys create</code>.
        </p>
      </form>
    </main>
  );
}
