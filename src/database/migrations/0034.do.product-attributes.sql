-- What a shop says about its products besides the price: each distinct set once, under the SHA-256 of its text, as orders keep what they saw by its digest.
create table product_attributes (
  digest text primary key,
  attributes text not null -- JSON: an object with its names in order
);
