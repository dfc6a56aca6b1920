import { type FormEvent, useState } from 'react'
import type { RouteResponse } from '../../../src/server/responses.ts'
import { ask } from '../api.ts'
import { useRequest } from '../request.ts'
import { useInvalidate } from '../responses.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './states.tsx'

type Setting = RouteResponse<'GET /api/admin/settings'>['settings'][number]

/** Changes one setting of the shop; the service checks the value. */
export function SettingDialog({ setting, onClose }: Readonly<{ setting: Setting; onClose: () => void }>) {
  const { key, about, value, default: fallback } = setting
  const invalidate = useInvalidate()
  const [text, setText] = useState(settingText(value))
  const { run, failure, busy } = useRequest()
  const isList = Array.isArray(value) || Array.isArray(fallback)
  const put = (next: Setting['value']) =>
    run(async () => {
      await ask('PUT /api/admin/settings', { data: { [key]: next } })
      await invalidate('GET /api/admin/settings')
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
            {isList && ', comma-separated'}. Default: {settingText(fallback) || 'none'}.
          </span>
        </label>
        <p className="quiet">It takes effect in all processes within a second, for later requests.</p>
        <Failure error={failure} />
        <footer>
          <Button onClick={() => put(null)} disabled={busy || setting.changed_at === null}>
            Reset to the default
          </Button>
          <Button type="submit" className="button primary" disabled={busy || text === settingText(value)}>
            Save
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

export function settingText(value: Setting['value']): string {
  return value === null ? '' : [value].flat().join(', ')
}
