import { type FormEvent, useState } from 'react'
import type { Answer } from '../../../src/http/routes/answers.ts'
import { useForget } from '../answers.ts'
import { ask } from '../api.ts'
import { useRequest } from '../request.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

type Setting = Answer<'GET /api/admin/settings'>['settings'][number]

/** One setting of the shop; the service says what it takes. */
export function SettingDialog({ setting, onClose }: Readonly<{ setting: Setting; onClose: () => void }>) {
  const { key, about, value, default: fallback } = setting
  const forget = useForget()
  const [text, setText] = useState(settingText(value))
  const { run, failure, busy } = useRequest()
  const isList = Array.isArray(value) || Array.isArray(fallback)
  const put = (next: Setting['value']) =>
    run(async () => {
      await ask('PUT /api/admin/settings', { data: { [key]: next } })
      await forget('GET /api/admin/settings')
      onClose()
    })
  const save = (event: FormEvent) => {
    event.preventDefault()
    const listed = text.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
    void put(isList ? listed : text.trim())
  }
  return (
    <Dialog title={key} onClose={onClose}>
      <form className="form" onSubmit={save}>
        <label className="field">
          <span>Value</span>
          <input value={text} onChange={(event) => setText(event.target.value)} autoComplete="off" spellCheck={false} />
          <span className="hint">
            {about}
            {isList && '; with commas between'}. Where nothing is set: {settingText(fallback) || 'nothing'}.
          </span>
        </label>
        <p className="quiet">It holds for all processes within a second, and for what is sent from then on.</p>
        <Failure error={failure} />
        <footer>
          <button
            type="button"
            className="button"
            onClick={() => put(null)}
            disabled={busy || setting.changed_at === null}
          >
            Back to the default
          </button>
          <button type="submit" className="button primary" disabled={busy || text === settingText(value)}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

export function settingText(value: Setting['value']): string {
  return value === null ? '' : [value].flat().join(', ')
}
