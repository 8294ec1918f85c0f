-- The delivery zone of one postcode.
SELECT postcode, town, zone
FROM postcode
WHERE postcode = '10115';
