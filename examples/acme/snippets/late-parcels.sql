-- Parcels promised for today or earlier that no driver has handed over.
SELECT p.tracking_number,
       p.promised_on,
       s.depot AS last_seen_at,
       s.scanned_at AS last_seen
FROM parcel AS p
LEFT JOIN scan AS s
  ON s.id = (SELECT max(latest.id) FROM scan AS latest WHERE latest.parcel_id = p.id)
WHERE p.handed_over_at IS NULL
  AND p.promised_on <= curdate()
ORDER BY p.promised_on, p.tracking_number;
