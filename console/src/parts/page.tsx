import { type ReactNode, useEffect } from 'react'

/** A page with its title, which is also the document's, what it is about, and its actions. */
export function Page({
  title,
  about,
  actions,
  children,
}: Readonly<{ title: string; about?: ReactNode; actions?: ReactNode; children: ReactNode }>) {
  useEffect(() => {
    document.title = `${title} · Laurel`
  }, [title])
  return (
    <>
      <div className="head">
        <div>
          <h1>{title}</h1>
          {about !== undefined && <p>{about}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  )
}

export function Section({
  title,
  actions,
  children,
}: Readonly<{ title: ReactNode; actions?: ReactNode; children: ReactNode }>) {
  return (
    <section className="section">
      <header>
        <h2>{title}</h2>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
