/** Why somebody books or takes back points: a text that is not blank, in a form under `reason`. */
export function ReasonField({ value }: Readonly<{ value?: string | undefined }>) {
  return (
    <label className="field">
      <span>Reason</span>
      <input name="reason" required pattern=".*\S.*" maxLength={500} defaultValue={value} />
    </label>
  )
}
