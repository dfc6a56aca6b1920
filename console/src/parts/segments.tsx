import { useId } from 'react'

/** One of a few choices, as radio buttons side by side. */
export function Segments<Key extends string>({
  name,
  choices,
  value,
  onChange,
}: Readonly<{
  name: string
  choices: Readonly<Record<Key, string>>
  value: Key
  onChange: (value: Key) => void
}>) {
  const id = useId()
  return (
    <fieldset className="segments">
      <legend className="hidden">{name}</legend>
      {(Object.entries(choices) as [Key, string][]).map(([key, text]) => (
        <label key={key}>
          <input type="radio" name={id} checked={key === value} onChange={() => onChange(key)} />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
